package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.jpa.dialect.H2LockDialect;
import io.quarkiverse.lock.jpa.dialect.PortableLockDialect;
import io.quarkiverse.lock.jpa.table.Purge;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** A database that treats an empty text as NULL, as Oracle does. */
class OracleModeTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final H2Database server = Databases.prepared(new H2Database());
    private final AgroalDataSource pool = Databases.pool(server, server.url() + ";MODE=Oracle", 4);
    private final LockDatabase database = LockDatabase.of(pool, Databases.sessions("h2"),
            new PortableLockDialect("h2", H2LockDialect.NOW, " FROM DUAL"), null, Databases.OPTIONS);
    private Locks locks;

    @BeforeEach
    void open() {
        locks = new Locks(server);
    }

    @AfterEach
    void close() throws Exception {
        locks.close();
        pool.close();
        server.close();
    }

    @Test
    @Fault(114)
    void fault114_idleRowsArePurgedWhenEmptyStringIsNull() throws Exception {
        LockManager jvm = locks.jvm(database);
        jvm.lock("idle").acquire().close();
        String rows = "SELECT COUNT(*) FROM quarkus_lock WHERE id = '" + locks.id("idle") + "'";
        assertThat(locks.number("SELECT COUNT(*) FROM quarkus_lock WHERE id > ''")).as("an empty text is NULL").isZero();
        assertThat(locks.number(rows)).isEqualTo(1);
        var purge = new Purge(database.steps(), database.statements(), database.workers(), database.options().purgeAfter(),
                () -> {
                    throw new IllegalStateException("needs no time");
                });
        Await.until("its row is deleted", SOON, () -> purge.purge(1) > 0);
        assertThat(locks.number(rows)).isZero();
    }
}
