package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** The database is down while the application starts. */
class UnreachableTablesTest {

    @Test
    @Fault(384)
    void fault384_outageIsNotReportedAsMissingRight() throws IOException {
        int port;
        try (ServerSocket nobody = new ServerSocket(0)) {
            port = nobody.getLocalPort();
        }
        try (AgroalDataSource pool = Databases.pool("h2", "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:down", "sa", "", 2)) {
            Schema schema = new Schema(LockDatabase.of(pool, Databases.sessions("h2"), null, Databases.OPTIONS));
            assertThatThrownBy(schema::create).isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("quarkus.lock.jpa.create-table=true", "quarkus_lock", "quarkus.datasource.*",
                            "cannot be reached", "Start the application again")
                    .hasMessageNotContainingAny("username", "Flyway");
            assertThat(schema.check()).as("only logged, where the tables should exist").isFalse();
        }
    }

    /** Before that, nothing reads or writes these tables, not even a health check. */
    @Test
    @Fault(446)
    void fault446_uncheckedTablesAreCheckedBeforeFirstLock() throws Exception {
        try (var server = Databases.withTables(new H2Database()); var locks = new Locks(server)) {
            locks.execute("ALTER TABLE quarkus_lock DROP PRIMARY KEY");
            LockDatabase database = LockDatabase.of(downAtFirst(locks.pool(2)), Databases.sessions("h2"), server::connect,
                    Databases.OPTIONS);
            assertThat(new Schema(database).checkForLeases()).isFalse();
            LockManager manager = locks.jvm(database);
            assertThatThrownBy(() -> manager.lock("n").acquire()).isInstanceOf(LockBackendException.class)
                    .hasMessageContainingAll("'n'", "quarkus.datasource.*", "ALTER TABLE quarkus_lock ADD PRIMARY KEY (id)");
            assertThatThrownBy(() -> manager.inspect("n")).isInstanceOf(LockBackendException.class)
                    .hasMessageContaining("ADD PRIMARY KEY");
            Steps outside = database.renewing();
            assertThatThrownBy(() -> outside.call(outside.deadline(), connection -> true)).as("outside the pool")
                    .hasMessageContaining("ADD PRIMARY KEY");
            assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock")).isZero();

            locks.execute("ALTER TABLE quarkus_lock ADD PRIMARY KEY (id)");
            manager.lock("n").acquire().close();
            locks.execute("ALTER TABLE quarkus_lock DROP PRIMARY KEY");
            manager.lock("n").acquire().close(); // it is checked once
            outside.call(outside.deadline(), connection -> true);
        }
    }

    /** The start gives another JVM a second to add the key. */
    @Test
    @Fault(446)
    void fault446_deferredCheckFitsIntoShortOperation() throws Exception {
        try (var server = Databases.withTables(new H2Database()); var locks = new Locks(server)) {
            locks.execute("ALTER TABLE quarkus_lock DROP PRIMARY KEY");
            LockDatabase database = LockDatabase.of(downAtFirst(locks.pool(2)), Databases.sessions("h2"), null,
                    Databases.OPTIONS.withOperationTimeout(Duration.ofMillis(700)));
            new Schema(database).checkForLeases();
            LockManager manager = locks.jvm(database);
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> manager.lock("n").acquire()).isInstanceOf(LockBackendException.class)
                        .hasMessageContaining("ADD PRIMARY KEY");
            }
        }
    }

    /** A pool that cannot open its first connection. */
    static DataSource downAtFirst(DataSource pool) {
        var asked = new AtomicBoolean();
        return (DataSource) Proxy.newProxyInstance(UnreachableTablesTest.class.getClassLoader(),
                new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection") && asked.compareAndSet(false, true)) {
                        throw new SQLException("down on purpose", "08001");
                    }
                    return method.invoke(pool, arguments);
                });
    }
}
