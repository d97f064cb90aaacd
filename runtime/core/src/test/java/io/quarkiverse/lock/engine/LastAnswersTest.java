package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Spin;
import io.quarkiverse.lock.engine.queue.Releases;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Requests in progress when an engine closes are answered before the backend closes. */
class LastAnswersTest {

    private static final LockOptions TRY_SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED).withWaitFor(Duration.ZERO);

    private final ToldTraces traces = new ToldTraces();
    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .tracing(traces).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private Thread closing;

    LastAnswersTest() {
        backend.operationTimeout = Duration.ofSeconds(20);
    }

    @AfterEach
    void close() throws Exception {
        backend.operationTimeout = Duration.ZERO;
        engine.close();
        if (closing != null) {
            awaitClosed();
        }
    }

    @Test
    void fault300_closeWaitsForPendingImmediateClaim() throws Exception {
        var trying = UniAssertSubscriber.<LockHandle> create();
        locks.lock("a", TRY_SHARED).acquireAsync().subscribe().withSubscriber(trying);
        closeElsewhere();
        backend.grant();
        awaitClosed();
        trying.assertFailedWith(IllegalStateException.class, "shutting down");
        assertThat(backend.released).containsExactlyElementsOf(backend.granted);
        assertThat(backend.closed).isTrue();
    }

    @Test
    void fault300_closeWaitsForPendingJointClaim() throws Exception {
        backend.together = true;
        var waiting = UniAssertSubscriber.<LockHandle> create();
        locks.all("a", "b").acquireAsync().subscribe().withSubscriber(waiting);
        closeElsewhere();
        backend.grantTogether();
        awaitClosed();
        waiting.assertFailedWith(IllegalStateException.class, "shutting down");
        assertThat(backend.released).containsExactlyInAnyOrderElementsOf(backend.granted);
        assertThat(backend.closed).isTrue();
    }

    @Test
    void fault335_closeWaitsForRetriedRelease() throws Exception {
        releaseInVain();
        closeElsewhere();
        backend.releaseFailure = null;
        time.advance(Duration.ofSeconds(1));
        awaitClosed();
        assertThat(backend.released).as("attempts").hasSize(2);
        assertThat(traces.told).containsExactly("a requested", "a granted", "a ended");
        assertThat(backend.closed).isTrue();
    }

    @Test
    void fault335_failedReleaseIsReportedOnClose() {
        releaseInVain();
        backend.operationTimeout = Duration.ZERO;
        List<String> warnings;
        try (var logged = new LoggedRecords(Releases.class)) {
            engine.close();
            warnings = logged.warnings();
        }
        assertThat(warnings).singleElement().asString().contains("'a'", "becomes free when its lease ends");
        assertThat(traces.told).containsExactly("a requested", "a granted", "a ended");
    }

    private void releaseInVain() {
        var subscriber = UniAssertSubscriber.<LockHandle> create();
        locks.lock("a").acquireAsync().subscribe().withSubscriber(subscriber);
        backend.grant();
        backend.releaseFailure = new IllegalStateException("no answer");
        subscriber.assertCompleted().getItem().close();
    }

    /** Returns once it is waiting. */
    private void closeElsewhere() {
        closing = new Thread(engine::close, "closes the engine");
        closing.start();
        Spin.until("it waits", () -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
        assertThat(backend.closed).as("closed without waiting").isFalse();
    }

    private void awaitClosed() throws InterruptedException {
        closing.join(60_000);
        assertThat(closing.isAlive()).as("still waiting").isFalse();
    }
}
