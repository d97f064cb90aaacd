package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.state.Fencing;
import io.quarkiverse.lock.engine.state.JointLease;
import io.quarkiverse.lock.engine.state.Lease;
import io.quarkiverse.lock.engine.state.LeaseRules;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Notifications that reach a lock which is to linger after its hold, in virtual time. */
class LingerNewsTest {

    private static final ManagerDefaults LINGERING = new ManagerDefaults("lingering", Duration.ofSeconds(10),
            Duration.ofSeconds(30), true, null, OnLost.FAIL, Duration.ofMillis(200));
    private static final LockOptions READ = LockOptions.DEFAULTS.withMode(LockMode.SHARED);

    private final VirtualTime time = new VirtualTime();
    private final LocalBackend backend = new LocalBackend(new LocalStore(time), "test");
    /** Runs when the engine reads its clock. */
    private final AtomicReference<@Nullable Runnable> then = new AtomicReference<>();
    /** If set, answers to claims and renewals wait for it. */
    private @Nullable CompletableFuture<Void> slow;
    private boolean noting;
    private Grant granted;
    private BackendListener listener;
    private final LockEngine engine = LockEngine.builder((LockBackend) Proxy.newProxyInstance(
            LingerNewsTest.class.getClassLoader(), new Class<?>[] { LockBackend.class },
            (proxy, method, arguments) -> switch (method.getName()) {
                case "start" -> {
                    listener = (BackendListener) arguments[0];
                    backend.start(toldByRenewals(listener), time);
                    yield null;
                }
                case "requestRelease" -> onlyNoted(backend.requestRelease((String) arguments[0]));
                case "acquire" -> later(backend.acquire((Claim) arguments[0]).invoke(answer -> granted = (Grant) answer));
                case "renew" -> later((Uni<?>) method.invoke(backend, arguments));
                default -> method.invoke(backend, arguments);
            })).time((LockTime) Proxy.newProxyInstance(LingerNewsTest.class.getClassLoader(),
                    new Class<?>[] { LockTime.class }, (proxy, method, arguments) -> {
                        Runnable happens = method.getName().equals("nanoTime") ? then.getAndSet(null) : null;
                        if (happens != null) {
                            happens.run();
                        }
                        return method.invoke(time, arguments);
                    }))
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(LINGERING);

    private <T> Uni<T> later(Uni<T> answer) {
        CompletableFuture<Void> until = slow;
        if (until == null) {
            return answer;
        }
        CompletableFuture<T> there = answer.subscribeAsCompletionStage();
        return Uni.createFrom().completionStage(until.thenCompose(nothing -> there));
    }

    private CompletableFuture<Void> slowFromNow() {
        var until = new CompletableFuture<Void>();
        slow = until;
        return until;
    }

    /** A release request is only noted at the store, for the holder's next renewal. */
    private Uni<Boolean> onlyNoted(Uni<Boolean> request) {
        return Uni.createFrom().item(() -> {
            noting = true;
            try {
                return request.await().indefinitely();
            } finally {
                noting = false;
            }
        });
    }

    private BackendListener toldByRenewals(BackendListener all) {
        return (BackendListener) Proxy.newProxyInstance(LingerNewsTest.class.getClassLoader(),
                new Class<?>[] { BackendListener.class }, (proxy, method, arguments) -> noting ? null
                        : method.invoke(all, arguments));
    }

    private boolean free() {
        return backend.inspect("a").await().indefinitely().isEmpty();
    }

    @AfterEach
    void close() {
        slow = null;
        engine.close();
    }

    @Test
    void fault354_waiterNewsDuringDowngradeIsKept() {
        LockHandle hold = locks.lock("a").acquire();
        then.set(hold::downgrade);
        listener.waiters(granted, true);
        assertThat(then.get()).isNull();
        assertThat(granted.claim().mode()).isEqualTo(LockMode.SHARED);
        hold.close();
        assertThat(free()).isTrue();
    }

    /** It comes after the lease was copied for a downgrade, and before the copy replaces it. */
    @Test
    void fault354_downgradedLeaseInheritsWaiterNews() {
        LeaseRules rules = new LeaseRules(backend, time, null, null, new Fencing(0), 0, true);
        NameQueue queue = new NameQueue("a", rules);
        LockHold hold = new LockHold(queue, LINGERING.with(LockOptions.DEFAULTS), 0, null, null);
        Claim claim = new Claim("a", 0, 1, LockMode.EXCLUSIVE, 0, Duration.ofSeconds(30).toNanos(), true);
        Lease alone = new Lease(queue, new Grant(claim, 1, time.nanoTime()), hold, LeaseRules.clockGap(time),
                time.nanoTime());
        queue.add(alone);
        JointLease joint = new JointLease(alone);
        alone.othersWait(true, time.nanoTime());
        queue.replace(alone, joint);
        assertThat(joint.othersMayWait()).isTrue();
    }

    /** The notification finds no lease: after a suspension, the grant must be confirmed before it becomes one. */
    private void newsComesBeforeAGrantIsCertain(LockOptions options, boolean waits) {
        CompletableFuture<Void> answer = slowFromNow();
        var asked = waits ? locks.lock("a", options).acquireAsync()
                : locks.lock("a", options).tryAcquireAsync(Duration.ZERO).map(there -> there.orElseThrow());
        UniAssertSubscriber<LockHandle> hold = asked.subscribe().withSubscriber(UniAssertSubscriber.create());
        time.shiftWallClock(Duration.ofMinutes(10));
        CompletableFuture<Void> confirmation = slowFromNow();
        answer.complete(null);
        hold.assertNotTerminated();
        listener.waiters(granted, true);
        confirmation.complete(null);
        hold.assertCompleted().getItem().close();
        assertThat(free()).isTrue();
    }

    @Test
    void fault354_waiterNewsBeforeConfirmationIsKept() {
        newsComesBeforeAGrantIsCertain(LockOptions.DEFAULTS, true);
    }

    @Test
    void fault354_waiterNewsBeforeReaderConfirmationIsKept() {
        newsComesBeforeAGrantIsCertain(READ, false);
    }

    @Test
    void fault355_localReleaseRequestFreesIdleGrant() {
        locks.lock("a").acquire().close();
        assertThat(free()).isFalse();
        assertThat(locks.requestRelease("a")).isTrue();
        assertThat(free()).isTrue();
    }

    @Test
    void fault355_renewalDeliversReleaseRequest() {
        try (LockHandle hold = locks.lock("a").acquire()) {
            assertThat(locks.requestRelease("a")).isTrue();
            assertThat(hold.isReleaseRequested()).isFalse();
            time.advance(Duration.ZERO);
            assertThat(hold.isReleaseRequested()).isTrue();
        }
        assertThat(free()).isTrue();
    }
}
