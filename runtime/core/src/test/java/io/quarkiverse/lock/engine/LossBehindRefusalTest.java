package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import jakarta.transaction.RollbackException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** The body of a call fails because a commit inside was refused after a loss. */
class LossBehindRefusalTest {

    private final VirtualTime time = new VirtualTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "here")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void fault510_lossKeepsBodyExceptionAsSuppressed() {
        var refusal = new RollbackException("refused");
        refusal.initCause(new LockLostException("order", "lost", null));
        var failure = new IllegalStateException("not written", refusal);
        failure.addSuppressed(new IOException("not closed"));
        assertThatThrownBy(() -> locks.lock("order").call(() -> loseAndThrow(failure)))
                .isInstanceOf(LockLostException.class).hasSuppressedException(failure);
        assertThatThrownBy(() -> locks.lock("order").call(() -> locks.lock("order").call(() -> loseAndThrow(failure))))
                .isInstanceOf(LockLostException.class).hasSuppressedException(failure);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void fault510_cyclicCausesAreHandled() {
        var failure = new IllegalStateException("not written");
        failure.initCause(new IllegalStateException("in a circle", failure));
        assertThatThrownBy(() -> locks.lock("order").call(() -> loseAndThrow(failure))).isSameAs(failure);
    }

    private Object loseAndThrow(Exception failure) throws Exception {
        locks.forceRelease("order");
        throw failure;
    }
}
