package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.logging.LogRecord;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.news.HoldNotifier;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;

/** Callbacks for a loss run on threads for news only, and what they throw is logged. */
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
    void whatTheyThrowIsLogged() {
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

    @Test
    void aLossFromBeforeIsNotToldByWhoAsks() {
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
