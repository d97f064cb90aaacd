package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Callers that try a lock with a limit without waiting, while others of their JVM wait for it. */
class LimitedTriesTest {

    private static final LockOptions LIMITED = LockOptions.DEFAULTS.withLimit(2);
    private static final LockOptions SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED);

    private final VirtualTime time = new VirtualTime();
    private final AnsweringBackend backend = new AnsweringBackend();
    private final LockEngine engine = LockEngine.builder(backend).time(time).threads(CallerThreads.plain(Runnable::run))
            .start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void close() {
        engine.close();
    }

    /** The store knows only the first waiter: a permit that becomes free after its grant is for the next one. */
    @Test
    void fault475_immediateTryDoesNotOvertakeLocalWaiters() {
        var first = subscribe(LIMITED);
        backend.claim().heldBy("others");
        var second = subscribe(LIMITED);
        subscribe(LIMITED.withWaitFor(Duration.ZERO)).assertFailedWith(LockBusyException.class);
        assertThat(backend.asked).hasSize(1);
        var third = subscribe(LIMITED);
        backend.grant();
        assertThat(backend.asked).as("the second is queued at the store").hasSize(2);
        subscribe(LIMITED.withWaitFor(Duration.ZERO)).assertFailedWith(LockBusyException.class);
        assertThat(backend.asked).hasSize(2);
        first.getItem().close();
        backend.grant();
        second.getItem().close();
        backend.grant();
        third.getItem().close();
    }

    /** There may be permits for all. */
    @Test
    void fault475_immediateTryAsksStoreBeforeFailing() {
        var first = subscribe(LIMITED);
        var second = subscribe(LIMITED);
        var late = subscribe(LIMITED.withWaitFor(Duration.ZERO));
        assertThat(backend.asked).hasSize(2);
        backend.grant(1);
        late.getItem().close();
        backend.grant(0);
        backend.grant();
        first.getItem().close();
        second.getItem().close();
    }

    /** It is queued at the store, or granted. */
    @Test
    void fault475_storeDecidesBehindFirstWaiter() {
        var first = subscribe(LIMITED);
        var late = subscribe(LIMITED.withWaitFor(Duration.ZERO));
        backend.grant(0);
        backend.grant(1);
        first.getItem().close();
        late.getItem().close();
    }

    @Test
    void fault475_immediateReaderClaimsDespiteLocalWaiters() {
        var first = subscribe(SHARED);
        var second = subscribe(SHARED);
        var late = subscribe(SHARED.withWaitFor(Duration.ZERO));
        assertThat(backend.asked).hasSize(2);
        backend.grant(1);
        late.getItem().close();
        backend.grant(0);
        first.getItem().close();
        second.getItem().close();
    }

    private UniAssertSubscriber<LockHandle> subscribe(LockOptions options) {
        return locks.lock("a", options).acquireAsync().subscribe().withSubscriber(UniAssertSubscriber.create());
    }
}
