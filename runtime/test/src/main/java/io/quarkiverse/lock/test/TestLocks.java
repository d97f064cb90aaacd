package io.quarkiverse.lock.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkus.arc.Unremovable;

/**
 * Causes trouble with locks, on demand, for a {@code @QuarkusTest} of an application on the backend {@code local}. Injectable.
 *
 * <pre>
 * {@code
 * &#64;Inject
 * TestLocks locks;
 *
 * @Test
 * void paymentFailsWhileOrderIsBusy() {
 *     try (LockHandle other = locks.busy("order-42")) {
 *         assertThrows(LockBusyException.class, () -> payments.pay("42"));
 *     }
 * }
 * }
 * </pre>
 *
 * It provides another node of the application, which holds what the test tells it to, and the time of all locks, which a test
 * can move forward. Until then it is real time. All methods can be called from any thread. A failed expectation is an
 * {@link AssertionError}.
 */
@Singleton
@Unremovable
public class TestLocks {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE = 1_000_000;

    private final OtherNode other;
    private final MovableTime time;
    private final Instance<LockManager> managers;
    private final LockEngines engines;
    private final Set<LockHandle> busy = ConcurrentHashMap.newKeySet();

    TestLocks(OtherNode other, MovableTime time, @Any Instance<LockManager> managers, LockEngines engines) {
        this.other = other;
        this.time = time;
        this.managers = managers;
        this.engines = engines;
    }

    /**
     * Another node holds this name from now on, until the handle is closed. It has the application's
     * {@code quarkus.lock.lease}, {@code margin}, {@code after-loss-delay} and {@code fencing-floor}, and renews its lease,
     * however far time is moved. If the application only keeps the name for its next caller ({@code linger}), it gives the name
     * back.
     *
     * @throws AssertionError if somebody holds the name already
     */
    public LockHandle busy(String name) {
        return busy(name, LockOptions.DEFAULTS);
    }

    /**
     * {@link #busy(String)} with options: {@code withMode(SHARED)} for a reader, {@code withRenew(false)} for a node that dies:
     * its lease ends once time has been moved by the lease, and others get the name after
     * {@code quarkus.lock.after-loss-delay}.
     */
    public LockHandle busy(String name, LockOptions options) {
        DistributedLock lock = other.locks().lock(name, options);
        Optional<LockHandle> hold = lock.tryAcquire(Duration.ZERO).or(() -> {
            endLinger(name);
            return lock.tryAcquire(Duration.ZERO);
        });
        LockHandle handle = hold.orElseThrow(() -> new AssertionError(
                "Lock '" + name + "' cannot be made busy. It is " + describe(name)));
        busy.add(handle);
        return handle;
    }

    /** Makes the application give back a name that it only keeps for its next caller. */
    private void endLinger(String name) {
        if (Stream.concat(held().stream(), other.locks().held().stream()).noneMatch(hold -> hold.name().equals(name))) {
            other.locks().requestRelease(name);
        }
    }

    /** Ends everything that {@link #busy} has started; for {@code @AfterEach}. */
    public void endBusy() {
        for (LockHandle handle : busy) {
            handle.close();
            busy.remove(handle);
        }
    }

    /**
     * The application loses this lock now, as if the backend had given it to somebody else: it is notified, and the next in
     * line gets the name.
     *
     * @throws AssertionError if the application does not hold it, or not on the backend {@code local}
     */
    public void lose(String name) {
        assertHeld(name);
        if (!other.locks().forceRelease(name)) {
            throw new AssertionError("Lock '" + name + "' cannot be lost: the application does not hold it on the backend "
                    + "'local'");
        }
    }

    /**
     * Moves the time of all locks forward. When this returns, everything due in that time has happened: holds were renewed or
     * have ended, waits are over. Tasks run on this thread; waiting threads notice within a few milliseconds.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public void advance(Duration duration) {
        time.advance(duration);
    }

    /**
     * Asserts that the application holds this lock now, in any of its threads or pipelines, and that it is valid.
     *
     * @throws AssertionError if not; names the holder
     */
    public void assertHeld(String name) {
        if (!held(name)) {
            throw new AssertionError("Lock '" + name + "' is not held by the application, which holds " + held() + ". It is "
                    + describe(name));
        }
    }

    /**
     * Asserts that nobody holds this name, and that nobody waits for it. If the application only keeps the name for its next
     * caller ({@code linger}), it first gives the name back.
     *
     * @throws AssertionError if not; says who does
     */
    public void assertFree(String name) {
        endLinger(name);
        if (other.locks().inspect(name).isPresent()) {
            throw new AssertionError("Lock '" + name + "' is not free. It is " + describe(name));
        }
    }

    /**
     * Returns as soon as the application holds this lock.
     *
     * @throws AssertionError if it does not within 10 seconds
     */
    public void awaitHeld(String name) {
        await(() -> held(name), name, "held by the application");
    }

    /**
     * Returns as soon as the application waits for this lock, which somebody else holds: one of its own threads, or the other
     * node.
     *
     * @throws AssertionError if it does not within 10 seconds
     */
    public void awaitWaiting(String name) {
        await(() -> waitedForAtTheBackend(name) || held(name) && waiting(name) > 0, name, "waited for");
    }

    private boolean waitedForAtTheBackend(String name) {
        return other.locks().inspect(name).map(LockInfo::waiters).orElse(0) > 0;
    }

    /**
     * Counts all waiting callers of the application; the backend does not know those that wait behind another of its threads.
     */
    private int waiting(String name) {
        return engines.all().stream().mapToInt(engine -> engine.census().waiting(name)).sum();
    }

    private void await(BooleanSupplier condition, String name, String what) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new AssertionError("Lock '" + name + "' is not " + what + " within " + PATIENCE.toSeconds() + "s. It is "
                        + describe(name));
            }
            LockSupport.parkNanos(PAUSE);
        }
    }

    private boolean held(String name) {
        for (HeldLock hold : held()) {
            if (hold.name().equals(name) && !hold.validFor().isZero()) {
                return true;
            }
        }
        return false;
    }

    private List<HeldLock> held() {
        return managers.stream().flatMap(manager -> manager.held().stream()).distinct().toList();
    }

    private String describe(String name) {
        return other.locks().inspect(name)
                .map(info -> "held by " + info.holders() + "; waiting: " + info.waiters() + " node(s) at the backend, "
                        + waiting(name) + " caller(s) in the application")
                .orElse("free");
    }
}
