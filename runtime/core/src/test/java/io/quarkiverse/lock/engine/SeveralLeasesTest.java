package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A change to several names fails for one of them. */
class SeveralLeasesTest {

    private static final Duration AT_LEAST = Duration.ofMinutes(10);
    private static final Runnable NOTHING = () -> {
    };

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private boolean silent;
    private boolean mute;
    /** When a silent backend says so; {@code null} for at once. */
    private @Nullable CompletableFuture<Void> answered;
    private Runnable whenAsked = NOTHING;
    private Executor ledTo = Runnable::run;
    private final LockEngine here = engine(silentForB(new LocalBackend(store, "here")));
    private final LockEngine there = engine(new LocalBackend(store, "there"));
    private final LockManager elsewhere = there.manager(ManagerDefaults.STANDARD);
    private final LockHandle hold = here.manager(ManagerDefaults.STANDARD).all("a", "b").acquire();

    private LockEngine engine(LockBackend backend) {
        return LockEngine.builder(backend).time(time).threads(CallerThreads.plain(work -> ledTo.execute(work))).start();
    }

    private LockBackend silentForB(LocalBackend backend) {
        return (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockBackend.class },
                (proxy, method, args) -> {
                    if (method.getName().equals("operationTimeout") && mute) {
                        return Duration.ofMillis(1);
                    }
                    if (method.getName().equals("features")) {
                        whenAsked.run();
                    }
                    if (method.getName().equals("renew")) {
                        @SuppressWarnings("unchecked")
                        var grants = (List<? extends Grant>) args[0];
                        boolean forB = grants.size() == 1 && grants.get(0).name().equals("b");
                        if (forB && mute) {
                            return Uni.createFrom().nothing();
                        }
                        if (forB && silent) {
                            Uni<Renewal> unknown = Uni.createFrom().item(new Renewal(List.of(), List.of(), grants));
                            return answered == null ? unknown
                                    : Uni.createFrom().completionStage(answered).chain(() -> unknown);
                        }
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void fault553_failedHoldAtLeastKeepsNoName() {
        silent = true;
        assertThatThrownBy(() -> hold.changeHoldAtLeast(AT_LEAST)).isInstanceOf(LockBackendException.class);
        assertFreeAfterTheRelease();
    }

    @Test
    void fault553_failedAsyncHoldAtLeastKeepsNoName() {
        silent = true;
        hold.changeHoldAtLeastAsync(AT_LEAST).subscribe().withSubscriber(UniAssertSubscriber.create())
                .assertFailedWith(LockBackendException.class);
        assertFreeAfterTheRelease();
    }

    @Test
    void fault553_unansweredHoldAtLeastKeepsNoName() {
        mute = true;
        assertThatThrownBy(() -> hold.changeHoldAtLeast(AT_LEAST)).isInstanceOf(LockBackendException.class);
        assertFreeAfterTheRelease();
    }

    @Test
    void fault553_holdAtLeastWithLostNameKeepsNoName() {
        elsewhere.forceRelease("b");
        assertThatThrownBy(() -> hold.changeHoldAtLeast(AT_LEAST)).isInstanceOf(LockLostException.class);
        assertFreeAfterTheRelease();
    }

    @Test
    void fault553_successfulHoldAtLeastKeepsAllNames() {
        hold.changeHoldAtLeast(AT_LEAST);
        hold.close();
        assertThat(elsewhere.inspect("a")).isPresent();
        assertThat(elsewhere.inspect("b")).isPresent();
    }

    @Test
    void failedHoldAtLeastKeepsTheEarlierValue() {
        hold.changeHoldAtLeast(Duration.ofSeconds(1));
        silent = true;
        assertThatThrownBy(() -> hold.changeHoldAtLeast(AT_LEAST)).isInstanceOf(LockBackendException.class);
        silent = false;
        hold.close();
        assertThat(elsewhere.inspect("a").orElseThrow().holders().get(0).remaining()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void fault576_cancelledHoldAtLeastKeepsNoName() {
        mute = true;
        changing().cancel();
        assertFreeAfterTheRelease();
    }

    /** Another thread has already begun with the second name. */
    @Test
    void fault576_nameIsNotChangedAfterCancellation() {
        var changed = UniAssertSubscriber.<Void> create();
        Iterator<Runnable> looks = List.<Runnable> of(() -> {
        }, changed::cancel).iterator();
        whenAsked = () -> looks.next().run();
        hold.changeHoldAtLeastAsync(AT_LEAST).subscribe().withSubscriber(changed);
        assertThat(looks.hasNext()).isFalse();
        whenAsked = NOTHING;
        assertFreeAfterTheRelease();
    }

    @Test
    void fault576_failedHoldAtLeastKeepsNoNameBeforeItsCallerKnows() {
        Queue<Runnable> ledBack = new ArrayDeque<>();
        ledTo = ledBack::add;
        silent = true;
        answered = new CompletableFuture<>();
        UniAssertSubscriber<Void> changed = changing();
        answered.complete(null);
        changed.assertNotTerminated();
        assertFreeAfterTheRelease();
        ledBack.remove().run();
        changed.assertFailedWith(LockBackendException.class);
    }

    @Test
    void fault576_cancellationAfterTheAnswerChangesNothing() {
        UniAssertSubscriber<Void> changed = changing().assertCompleted();
        changed.cancel();
        hold.close();
        assertThat(elsewhere.inspect("a")).isPresent();
        assertThat(elsewhere.inspect("b")).isPresent();
    }

    private UniAssertSubscriber<Void> changing() {
        return hold.changeHoldAtLeastAsync(AT_LEAST).subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    private void assertFreeAfterTheRelease() {
        silent = false;
        mute = false;
        hold.close();
        assertThat(elsewhere.inspect("a")).isEmpty();
        assertThat(elsewhere.inspect("b")).isEmpty();
    }
}
