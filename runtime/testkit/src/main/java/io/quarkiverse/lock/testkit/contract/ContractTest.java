package io.quarkiverse.lock.testkit.contract;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLockTarget;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.LockEngineBuilder;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.smallrye.mutiny.Uni;

/**
 * What all groups of the contract share: a store for each test, JVMs on it, threads, and their cleanup. A test mostly waits,
 * and none sees the store of another, so they run side by side where the build allows it. A test that stops the server itself
 * locks {@link #SERVER} for writing.
 */
@ExtendWith({ EnclosingSubject.class, Skips.class })
@DisplayNameGeneration(FaultDisplayNames.class)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = ContractTest.SERVER, mode = ResourceAccessMode.READ, target = ResourceLockTarget.CHILDREN)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class ContractTest {

    /** The server behind the stores of all tests. */
    protected static final String SERVER = "the server behind the stores";

    /** Long enough, on a slow machine, for anything that does not require a lease to end. */
    protected static final Duration SOON = Duration.ofSeconds(15);
    /** Long enough for the store to answer that somebody else has the lock. */
    protected static final Duration ANSWERED = Duration.ofSeconds(2);
    /** For leases that are meant to expire. On a busy machine they may do so at any time. */
    protected static final Duration SHORT_LEASE = Duration.ofSeconds(1);
    /** For leases that are renewed while the test watches: enough for a renewal of several round trips on a busy machine. */
    protected static final Duration RENEWED_LEASE = Duration.ofSeconds(3);

    /** A holder learns within a third of it that its lock was taken away. */
    protected static final Duration WATCHED_LEASE = Duration.ofSeconds(6);
    /** The store may measure slightly less than the test does: it counts in milliseconds, on a clock that may be adjusted. */
    protected static final Duration OTHER_CLOCK = Duration.ofMillis(20);

    static {
        // Loads its plug-ins at first use, which is not safe when two threads do it at once
        Uni.createFrom().item(() -> true).await().indefinitely();
    }

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        var thread = new Thread(task, "contract");
        thread.setDaemon(true);
        return thread;
    });
    private final String name = "contract-" + UUID.randomUUID();
    private @Nullable ContractSubject subject;
    private @Nullable ContractEnvironment environment;
    private int jvms;

    final void runOn(ContractSubject subject) {
        this.subject = subject;
    }

    protected final synchronized ContractEnvironment environment() {
        if (environment == null) {
            try {
                environment = Objects.requireNonNull(subject).newEnvironment();
            } catch (Exception e) {
                throw new IllegalStateException("No environment", e);
            }
        }
        return environment;
    }

    /** Another store, or another namespace. The test closes it. */
    final ContractEnvironment newEnvironment() throws Exception {
        return Objects.requireNonNull(subject).newEnvironment();
    }

    final Set<Ability> abilities() {
        Set<Ability> all = EnumSet.noneOf(Ability.class);
        all.addAll(environment().abilities());
        if (VirtualThreads.available()) {
            all.add(Ability.VIRTUAL_THREADS);
        }
        return all;
    }

    /** How often to repeat what only repetition finds: {@code usual} times at scale 1, at least once. */
    protected final int times(int usual) {
        return times(usual, 1);
    }

    /** {@code usual} times at scale 1 on a store that gets all repetitions, and never fewer than {@code least}. */
    protected final int times(int usual, int least) {
        return Scale.times(usual, least, environment().repetitions());
    }

    /** The name that this test locks; no other test does. */
    protected final String name() {
        return name;
    }

    protected final Jvm jvm() {
        return jvm("jvm-" + ++jvms, builder -> {
        });
    }

    protected final Jvm jvm(String owner, Consumer<LockEngineBuilder> settings) {
        return jvm(owner, settings, ManagerDefaults.STANDARD);
    }

    /** A JVM that checks every two seconds whether its locks are still there, so that tests need not wait long for that. */
    protected final Jvm watchful() {
        var defaults = new ManagerDefaults("watchful", Duration.ofSeconds(10), WATCHED_LEASE, true, null, OnLost.FAIL);
        return jvm("watchful-" + ++jvms, builder -> {
        }, defaults);
    }

    protected final Jvm jvm(String owner, Consumer<LockEngineBuilder> settings, ManagerDefaults defaults) {
        return closeLater(new Jvm(environment().backend(owner), settings, environment()::manager, defaults));
    }

    /** A JVM over a backend that the test has created from {@link #environment}. */
    protected final Jvm jvmOver(io.quarkiverse.lock.spi.LockBackend backend) {
        Jvm jvm = closeLater(new Jvm(backend, builder -> {
        }, environment()::manager, ManagerDefaults.STANDARD));
        return backend instanceof FaultyBackend faulty ? connected(jvm, faulty) : jvm;
    }

    /** The same JVM, once its client of the store has no more work of its own to do. */
    protected final Jvm connected(Jvm jvm, FaultyBackend backend) {
        if (environment().checksWhenConnected()) {
            backend.awaitFirstCheck();
        }
        return jvm;
    }

    /** A fault injector in front of a new client of the store. */
    protected final FaultyBackend faulty() {
        return new FaultyBackend(environment().backend("faulty-" + ++jvms));
    }

    /** Runs the task on its own thread. */
    protected final <T> CompletableFuture<T> start(Callable<T> task) {
        var result = new CompletableFuture<T>();
        threads.execute(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Does the same in several numbered lanes at once, so that much can be repeated in little time. */
    protected final void inLanes(int lanes, Lane lane) throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            int number = i;
            all.add(start(() -> {
                lane.run(number);
                return null;
            }));
        }
        Exception failed = null;
        for (var one : all) {
            try {
                get(one, 480); // thousands of times, with slow stores and on slow machines
            } catch (Exception e) {
                failed = failed == null || failed instanceof BrokenBarrierException ? e : failed; // another lane broke it
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    /** The work of one lane. */
    @FunctionalInterface
    protected interface Lane {
        void run(int number) throws Exception;
    }

    protected final ExecutorService threads() {
        return threads;
    }

    /** The result, soon. What the task threw is rethrown here. */
    protected static <T> T get(CompletableFuture<T> future) throws Exception {
        return get(future, 60);
    }

    private static <T> T get(CompletableFuture<T> future, int seconds) throws Exception {
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } catch (TimeoutException e) {
            throw new AssertionError("No result within " + seconds + " s", e);
        }
    }

    /** Waits until {@code count} JVMs wait for the name at the backend. */
    protected final void awaitWaiters(Jvm at, String name, int count) {
        Await.until(() -> count + " waiters for '" + name + "', but " + at.locks().inspect(name), SOON,
                () -> environment().waiters(at, name) == count);
    }

    /** Waits until {@code count} callers in this JVM have asked for a lock in total. */
    protected final void awaitRequests(Jvm in, int count) {
        Await.until(count + " requests", SOON,
                () -> in.count(io.quarkiverse.lock.spi.LockEvent.Kind.REQUESTED) >= count);
    }

    /** Waits until the name is free, and confirms that by taking and releasing it. */
    protected final void assertBecomesFree(Jvm at, String name, Duration atMost) {
        long start = System.nanoTime();
        try {
            at.lock(name).tryAcquire(atMost).orElseThrow(() -> new AssertionError("Lock '" + name + "' is not free within "
                    + atMost + ": " + at.locks().inspect(name))).close();
        } catch (LockBusyException e) {
            throw new AssertionError("Lock '" + name + "' is not free after "
                    + Duration.ofNanos(System.nanoTime() - start), e);
        }
        Await.until(() -> "nobody holds '" + name + "', but " + at.locks().inspect(name), SOON,
                () -> at.locks().inspect(name).isEmpty());
    }

    protected static void assertHeld(LockHandle hold) {
        if (!hold.isValid()) {
            throw new AssertionError("Lock '" + hold.name() + "' is no longer valid");
        }
    }

    /** Closes the resource at the end of the test, in reverse order. */
    protected final synchronized <T extends AutoCloseable> T closeLater(T closeable) {
        closeables.push(closeable);
        return closeable;
    }

    @AfterEach
    final void closeAll() throws Exception {
        threads.shutdownNow();
        Exception failure = null;
        while (!closeables.isEmpty()) {
            try {
                closeables.pop().close();
            } catch (Exception e) {
                failure = e;
            }
        }
        if (environment != null) {
            environment.close();
        }
        if (failure != null) {
            throw failure;
        }
    }
}
