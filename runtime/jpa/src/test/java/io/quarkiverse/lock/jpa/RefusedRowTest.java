package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.H2Database;

/** A constraint that is not ours keeps names from getting a row. */
@Timeout(120)
class RefusedRowTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    private final H2Database server = Databases.prepared(new H2Database());
    private final Locks locks = new Locks(server);
    private LockManager manager;

    @BeforeEach
    void start() throws Exception {
        manager = locks.jvm();
        manager.lock("old").acquire().close();
        locks.execute("ALTER TABLE quarkus_lock ADD CONSTRAINT audited CHECK (name LIKE '%old%')");
    }

    @AfterEach
    void close() throws Exception {
        locks.close();
        server.close();
    }

    @Test
    @Fault(367)
    void fault367_rejectedRowIsNotReportedAsBusy() {
        for (LockOptions options : List.of(LockOptions.DEFAULTS, LockOptions.DEFAULTS.withMode(LockMode.SHARED),
                LockOptions.DEFAULTS.withLimit(2))) {
            for (Duration wait : List.of(Duration.ZERO, LONG)) {
                long start = System.nanoTime();
                assertThatThrownBy(() -> manager.lock("new", options).tryAcquire(wait)).as("%s, %s", options, wait)
                        .isInstanceOf(LockBackendException.class).hasMessageContaining("'new'")
                        .hasMessageContaining("AUDITED");
                assertThat(System.nanoTime() - start).isLessThan(LONG.toNanos() / 2);
            }
        }
        assertThat(manager.lock("old").tryAcquire(Duration.ZERO)).isPresent();
    }

    /** As a trigger may cause it. */
    @Test
    @Fault(367)
    void fault367_missingColumnValueIsReported() throws Exception {
        locks.execute("ALTER TABLE quarkus_lock DROP CONSTRAINT audited");
        locks.execute("ALTER TABLE quarkus_lock ADD approved INT DEFAULT 1 NOT NULL");
        locks.execute("ALTER TABLE quarkus_lock ALTER COLUMN approved DROP DEFAULT");
        assertThatThrownBy(() -> manager.lock("new").tryAcquire(Duration.ZERO)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("APPROVED");
    }
}
