package io.quarkiverse.lock.jpa.pessimistic;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.jpa.database.CallerTurns;
import io.quarkiverse.lock.jpa.database.ConnectionSource;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.testkit.Fault;

/** What keeps a name from having a row, without a database. */
@Timeout(120)
class RowCreationTest {

    /** Stands for an OutOfMemoryError, on which JUnit itself would give up. */
    private final InternalError noThread = new InternalError("unable to create native thread: on purpose");
    /** Stands for a NoClassDefFoundError. */
    private final InternalError noClass = new InternalError("no class: on purpose");

    private RowCreation rows(ThreadFactory threads) {
        ConnectionSource lacking = new ConnectionSource() {

            @Override
            public Connection take(long deadline) {
                throw noClass;
            }

            @Override
            public void giveBack(Connection connection, Throwable failure) {
            }
        };
        var steps = new Steps(lacking, null, null, new CallerTurns(null, false, null), 0, Duration.ofSeconds(60));
        return new RowCreation(steps, new Workers(1, new Semaphore(1), threads),
                new Statements(new PostgresLockDialect(), "locks", "claims"), "locks", Duration.ofSeconds(60),
                new ErrorMessages(JpaLockOptions.STANDARD, "tables", 1));
    }

    @Test
    @Fault(195)
    void fault195_rowCreationWithoutThreadFails() {
        RowCreation rows = rows(work -> {
            throw noThread;
        });
        assertThatThrownBy(() -> rows.ensure("stock-7", "id", () -> "stock-7")).isInstanceOf(LockBackendException.class)
                .hasRootCause(noThread);
    }

    /** Nobody waits for it until the operation timeout. */
    @Test
    @Fault(195)
    void fault195_rowCreationLackingClassFails() {
        RowCreation rows = rows(Thread::new);
        assertThatThrownBy(() -> rows.ensure("stock-7", "id", () -> "stock-7")).isInstanceOf(LockBackendException.class)
                .hasRootCause(noClass);
    }
}
