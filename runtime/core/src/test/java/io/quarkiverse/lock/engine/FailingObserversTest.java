package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.news.Recording;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Observers may fail in any way; the locks keep working. */
class FailingObserversTest {

    private final VirtualTime time = new VirtualTime();
    private final ToldTraces traces = new ToldTraces();
    private final List<Kind> told = new ArrayList<>();
    private boolean failing;

    enum Observer {
        LISTENER,
        TRACE,
        RECORDING
    }

    @ParameterizedTest
    @EnumSource
    void fault184_failingObserverDoesNotBlockNextCaller(Observer observer) {
        LockEngineBuilder builder = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
                .threads(CallerThreads.plain(Runnable::run));
        switch (observer) {
            case LISTENER -> builder.listener(event -> fail());
            case TRACE -> builder.tracing(traces);
            case RECORDING -> builder.recording(new Failing());
        }
        traces.whenGranted = this::fail;
        try (LockEngine engine = builder.start()) {
            LockManager locks = manager(engine);
            LockHandle first = locks.lock("a").acquire();
            var second = locks.lock("a").acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
            var third = locks.lock("a").acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
            failing = true;
            first.close();
            second.assertCompleted().getItem().close();
            third.assertCompleted().getItem().close();
            locks.lock("a").acquire().close();
        }
    }

    @Test
    void fault184_lossIsReportedWhenCallbackThreadIsRejected() {
        CallerThreads threads = CallerThreads.plain(work -> {
            if (failing) {
                failing = false;
                throw new RejectedExecutionException("no thread");
            }
            work.run();
        });
        try (LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
                .threads(threads).listener(event -> told.add(event.kind())).start()) {
            LockManager locks = manager(engine);
            LockHandle handle = locks.lock("a").acquire();
            handle.onLost(() -> {
            });
            var next = locks.lock("a").acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
            failing = true;
            locks.forceRelease("a");
            assertThat(failing).as("a thread was requested").isFalse();
            assertThat(told).contains(Kind.LOST);
            next.assertCompleted().getItem().close();
            handle.close();
        }
    }

    @Test
    void fault584_requestReachesOtherReadersWhenCallbackThreadIsRejected() {
        CallerThreads threads = CallerThreads.plain(work -> {
            if (failing) {
                failing = false;
                throw new RejectedExecutionException("no thread");
            }
            work.run();
        });
        List<String> asked = new ArrayList<>();
        try (LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "test")).time(time)
                .threads(threads).listener(event -> told.add(event.kind())).start()) {
            LockManager locks = manager(engine);
            LockOptions shared = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
            try (LockHandle first = locks.lock("a", shared).acquire();
                    LockHandle second = locks.lock("a", shared).acquire()) {
                first.onReleaseRequested(() -> asked.add("first"));
                second.onReleaseRequested(() -> asked.add("second"));
                failing = true;
                locks.requestRelease("a");
            }
        }
        assertThat(failing).as("a thread was requested").isFalse();
        assertThat(asked).hasSize(1);
        assertThat(told).filteredOn(Kind.RELEASE_REQUESTED::equals).hasSize(2);
    }

    private static LockManager manager(LockEngine engine) {
        return engine.manager(new ManagerDefaults("reports", Duration.ofSeconds(10), Duration.ofSeconds(30), true, null,
                OnLost.FAIL));
    }

    private void fail() {
        if (failing) {
            throw new StackOverflowError("out of order");
        }
    }

    private final class Failing implements Recording {

        @Override
        public long thresholdNanos() {
            return 0;
        }

        @Override
        public void waited(Lock lock, Outcome outcome, String heldBy, long nanos) {
            fail();
        }

        @Override
        public void held(Lock lock, long nanos) {
            fail();
        }

        @Override
        public void lost(Lock lock, String why, long nanos) {
            fail();
        }
    }
}
