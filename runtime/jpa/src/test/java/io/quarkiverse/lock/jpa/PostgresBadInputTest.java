package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import javax.sql.DataSource;

import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** A database in an unsuitable state: found at the start, or later, and reported with a remedy. */
@Timeout(60)
class PostgresBadInputTest {

    private static final String DATA_SOURCE = "quarkus.datasource.";

    private static PostgresServer server;

    private Locks locks;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void begin() throws Exception {
        locks = new Locks(server);
        locks.execute("DROP ROLE IF EXISTS limited");
        locks.execute("CREATE ROLE limited LOGIN PASSWORD 'limited'");
        locks.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON quarkus_lock, quarkus_lock_claim TO limited");
    }

    @AfterEach
    void end() throws Exception {
        locks.close();
        Databases.prepared(server);
        locks.execute("DROP OWNED BY limited");
    }

    /** As a user with only the rights that locks need. */
    private DataSource limited() {
        return Databases.pool(server.kind(), server.url(), "limited", "limited", 4);
    }

    private Schema schema(DataSource pool) {
        return new Schema(LockDatabase.of(pool, Databases.sessions(server.kind()), null, Databases.OPTIONS));
    }

    private LockManager jvm(DataSource pool) {
        return locks.jvm(pool, new PostgresLockDialect(), Databases.OPTIONS);
    }

    private AbstractThrowableAssert<?, ?> atTheStart() {
        return assertThatThrownBy(() -> {
            try (AgroalDataSource pool = (AgroalDataSource) limited()) {
                schema(pool).check();
            }
        }).isInstanceOf(IllegalStateException.class).hasMessageContaining("Locks cannot be taken");
    }

    private AbstractThrowableAssert<?, ?> later(LockManager manager) {
        assertThatThrownBy(() -> manager.lock("late").acquire()).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("Lock 'late'");
        return assertThatThrownBy(() -> manager.lock("late").tryAcquire(Duration.ZERO))
                .isInstanceOf(LockBackendException.class).hasMessageContaining("Lock 'late'");
    }

    @Test
    void userWithMinimalRightsSuffices() throws Exception {
        try (AgroalDataSource pool = (AgroalDataSource) limited()) {
            assertThat(schema(pool).check()).isTrue();
            jvm(pool).lock("allowed").acquire().close();
        }
    }

    @Test
    void missingTableIsReported() throws Exception {
        DataSource pool = limited();
        LockManager manager = jvm(pool);
        manager.lock("late").acquire().close();
        locks.execute("DROP TABLE quarkus_lock");
        atTheStart().hasMessageContaining(DATA_SOURCE).hasMessageContaining("lacks a table")
                .hasMessageContaining("quarkus.lock.jpa.create-table=true").hasMessageContaining("db/quarkus-lock");
        later(manager).hasMessageContaining("quarkus.lock.jpa.create-table=true");
        assertThatThrownBy(() -> schema(pool).create()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("quarkus.lock.jpa.create-table=true").hasMessageContaining(DATA_SOURCE + "username")
                .hasMessageContaining("db/quarkus-lock/postgresql");
    }

    @Test
    void missingRightIsReported() throws Exception {
        LockManager manager = jvm(limited());
        manager.lock("late").acquire().close();
        for (String right : new String[] { "SELECT", "INSERT", "UPDATE", "DELETE" }) {
            for (String table : new String[] { "quarkus_lock", "quarkus_lock_claim" }) {
                locks.execute("REVOKE " + right + " ON " + table + " FROM limited");
                atTheStart().hasMessageContaining(DATA_SOURCE + "username").hasMessageContaining(table)
                        .hasMessageContaining("SELECT, INSERT, UPDATE and DELETE");
                locks.execute("GRANT " + right + " ON " + table + " TO limited");
            }
        }
        locks.execute("REVOKE UPDATE ON quarkus_lock FROM limited");
        later(manager).hasMessageContaining(DATA_SOURCE + "username").hasMessageContaining("UPDATE");
    }

    @Test
    void wrongColumnTypeIsReported() throws Exception {
        locks.execute("ALTER TABLE quarkus_lock ALTER COLUMN owner TYPE VARCHAR(10)");
        atTheStart().hasMessageContaining("column owner of table quarkus_lock").hasMessageContaining("10")
                .hasMessageContaining("255").hasMessageContaining("db/quarkus-lock/postgresql");
        locks.execute("ALTER TABLE quarkus_lock ALTER COLUMN owner TYPE VARCHAR(255)");
        locks.execute("ALTER TABLE quarkus_lock ALTER COLUMN expires TYPE INTEGER USING 0");
        try {
            atTheStart().hasMessageContaining("column expires of table quarkus_lock")
                    .hasMessageContaining("db/quarkus-lock/postgresql");
        } finally {
            locks.execute("ALTER TABLE quarkus_lock ALTER COLUMN expires TYPE BIGINT");
        }
    }

    @Test
    void readOnlyDatabaseIsReported() throws Exception {
        LockManager manager = jvm(limited());
        manager.lock("late").acquire().close();
        locks.execute("ALTER ROLE limited SET default_transaction_read_only = on");
        atTheStart().hasMessageContaining("is read-only").hasMessageContaining(DATA_SOURCE).hasMessageContaining("primary");
        // Applies to new connections
        locks.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'limited'");
        later(manager).hasMessageContaining("is read-only").hasMessageContaining(DATA_SOURCE);
    }

    @Test
    void unreachableServerIsReportedAtStartupAndLater() throws Exception {
        try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
            proxy.refuse();
            AgroalDataSource pool = Databases.pool(server, server.url(proxy.host(), proxy.port()), 4);
            assertThat(schema(pool).check()).as("only logged: the server may come up").isFalse();
            LockManager manager = jvm(pool);
            unreachable(manager);
            proxy.accept();
            manager.lock("here").acquire().close();
            proxy.refuse();
            proxy.cut();
            unreachable(manager);
            proxy.accept();
            manager.lock("here").acquire().close();
        }
    }

    private static void unreachable(LockManager manager) {
        assertThatThrownBy(() -> manager.lock("gone").tryAcquire(Duration.ZERO)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("Lock 'gone'").hasMessageContaining("(quarkus.datasource.*)")
                .hasMessageContaining("quarkus.lock.jpa.operation-timeout");
        assertThatThrownBy(() -> manager.lock("gone").tryAcquire(Duration.ofSeconds(1)))
                .isInstanceOf(LockBackendException.class).hasMessageContaining("(quarkus.datasource.*)");
    }
}
