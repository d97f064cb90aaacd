package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.logging.LogRecord;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** Loss callbacks run only on notification threads, and their exceptions are logged. */
class CallbackTest {

    private final VirtualTime time = new VirtualTime();
    private final Queue<Runnable> news = new ArrayDeque<>();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
            .threads(CallerThreads.plain(news::add)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final LoggedRecords log = new LoggedRecords(HoldNotifier.class);

    @AfterEach
    void close() {
        log.close();
        engine.close();
    }

    private void tellTheNews() {
        for (Runnable task = news.poll(); task != null; task = news.poll()) {
            task.run();
        }
    }

    @Test
    void lossCallbackExceptionIsLogged() {
        LockHandle hold = locks.lock("a").acquire();
        RuntimeException failure = new IllegalStateException("a fault that the test asked for");
        hold.onLost(() -> {
            throw failure;
        });
        locks.forceRelease("a");
        tellTheNews();

        assertThat(log.records()).extracting(LogRecord::getThrown).containsExactly(failure);
        assertThat(hold.isValid()).isFalse();
    }

    /** The enclosing call may last much longer, and open many nested handles. */
    @Test
    void fault427_releasedNestedHandleGetsNoCallbacks() throws Exception {
        List<String> told = new ArrayList<>();
        LockHold outer = engine.acquire().tryAcquire("a", ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS));
        assertThatThrownBy(() -> engine.scopes().run(outer, () -> {
            LockHandle nested = locks.lock("a").acquire();
            nested.onLost(() -> told.add("lost"));
            nested.lost().thenRun(() -> told.add("lost too"));
            nested.onReleaseRequested(() -> told.add("requested"));
            nested.close();
            nested.onLost(() -> told.add("lost after its release"));
            nested.onReleaseRequested(() -> told.add("requested after its release"));
            LockHandle inside = locks.lock("a").acquire();
            inside.onReleaseRequested(() -> told.add("requested inside"));
            inside.onLost(() -> told.add("lost inside"));
            locks.requestRelease("a");
            locks.forceRelease("a");
            tellTheNews();
            inside.close();
            return null;
        })).isInstanceOf(LockLostException.class);
        assertThat(told).containsExactlyInAnyOrder("requested inside", "lost inside");
    }

    @Test
    void fault427_repeatedCallsReturnTheSameStage() {
        LockHandle hold = locks.lock("a").acquire();
        assertThat((Object) hold.lost()).isSameAs(hold.lost());
        assertThat((Object) hold.releaseRequested()).isSameAs(hold.releaseRequested());
        CompletableFuture<LockLostException> lost = hold.lost().toCompletableFuture();
        lost.complete(null);
        assertThat(hold.lost().toCompletableFuture()).as("no caller completes it for others").isNotDone();
        hold.close();
    }

    @Test
    void releaseRequestCallbackExceptionIsLogged() {
        RuntimeException failure = new IllegalStateException("a fault that the test asked for");
        try (LockHandle hold = locks.lock("a").acquire()) {
            hold.onReleaseRequested(() -> {
                throw failure;
            });
            locks.requestRelease("a");
            tellTheNews();
            hold.onReleaseRequested(() -> {
                throw failure;
            });
        }
        assertThat(log.records()).extracting(LogRecord::getThrown).containsExactly(failure, failure);
        assertThat(log.records())
                .allSatisfy(record -> assertThat(record.getMessage()).startsWith("A callback for the request"));
    }

    @Test
    void lateLossListenerRunsOffTheCallerThread() {
        LockHandle hold = locks.lock("a").acquire();
        locks.forceRelease("a");
        hold.onLost(() -> {
        });
        tellTheNews();

        List<String> told = new ArrayList<>();
        hold.onLost(() -> told.add("late"));
        assertThat(told).isEmpty();
        tellTheNews();
        assertThat(told).containsExactly("late");
    }
}
