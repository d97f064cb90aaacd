package io.quarkiverse.lock.testkit.random;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.news.LossReasons;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.smallrye.mutiny.Uni;

/**
 * A real or simulated JVM whose threads take locks at random: blocking and not, with and without scopes, renewal, patience and
 * release. The seed determines their requests; their observations go to a history.
 *
 * <pre>{@code
 * try (RandomUser user = new RandomUser("jvm-1", backend, List.of("hot", "cold"), seed, 4, history::add)) {
 *     ...
 *     user.stop();
 *     user.join();
 *     assertThat(user.surprises()).isEmpty();
 * }
 * }</pre>
 */
public final class RandomUser implements AutoCloseable {

    private static final Duration LAST_WAIT = Duration.ofSeconds(30);

    private final String process;
    private final RandomLoad load;
    private final Consumer<HistoryEvent> history;
    private final CountedTime time = new CountedTime();
    private final LockEngine engine;
    private final Watch watch;
    private final Requester requester;
    private final List<Thread> threads = new ArrayList<>();
    private final List<String> surprises = new CopyOnWriteArrayList<>();
    private final AtomicLong granted = new AtomicLong();
    private volatile boolean stopping;

    /**
     * Starts an engine and the threads.
     *
     * @param backend the user's own, closed with it
     * @param names the locks to use, the hottest first
     */
    public RandomUser(String process, LockBackend backend, List<String> names, long seed, int threads,
            Consumer<HistoryEvent> history) {
        this(process, backend, new RandomLoad(names, threads), seed, Duty.NONE, history);
    }

    /**
     * Starts an engine and the threads.
     *
     * @param backend the user's own, closed with it
     * @param duty what the holders do
     */
    public RandomUser(String process, LockBackend backend, RandomLoad load, long seed, Duty duty,
            Consumer<HistoryEvent> history) {
        // Outside Quarkus the first use of Mutiny can fail when several threads make it at once
        Uni.createFrom().item(() -> 1).await().indefinitely();
        this.process = process;
        this.load = load;
        this.history = history;
        this.engine = LockEngine.builder(backend).time(time).listener(this::heard).start();
        this.watch = new Watch(process, history, token -> held(token).isPresent());
        LockManager locks = engine.manager(ManagerDefaults.STANDARD);
        this.requester = new Requester(process, locks, backend.operationTimeout().toNanos(), load.keptFor().toNanos(), watch,
                duty, history);
        begin("watch", watch);
        for (int i = 0; i < load.threads(); i++) {
            var random = new SplittableRandom(seed * 31 + i);
            begin(Integer.toString(i), () -> work(random));
        }
    }

    private void begin(String what, Runnable task) {
        var thread = new Thread(task, process + "-" + what);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void work(SplittableRandom random) {
        while (!stopping) {
            Plan plan = Plan.make(random, load.names(), load.longestLease());
            try {
                if (requester.carryOut(plan)) {
                    granted.incrementAndGet();
                }
            } catch (Throwable e) {
                surprise(plan + ": " + e, e);
            }
            LockSupport.parkNanos(plan.rest());
        }
    }

    private void surprise(String what, Throwable e) {
        var text = new java.io.StringWriter();
        e.printStackTrace(new java.io.PrintWriter(text));
        surprises.add(process + ": " + what + "\n" + text);
    }

    /**
     * Inspects each grant at the moment of the decision. Inspecting an expired one makes it lost, and it is recorded as lost.
     * One that is invalid for another reason has meanwhile been taken or released, or has to be confirmed because the clocks
     * seem to have diverged. On a busy machine they seem to when a thread is held up between reading one clock and the other.
     */
    private void heard(LockEvent event) {
        if (event.kind() == LockEvent.Kind.GRANTED) {
            held(event.fencingToken()).filter(held -> !held.validFor().isZero())
                    .ifPresent(held -> granted(event, held.heldFor().toNanos(), held.validFor().toNanos()));
        } else if (event.kind() == LockEvent.Kind.LOST && LossReasons.isDeadline(event.reason())) {
            granted(event, event.nanos(), 0);
        }
    }

    private void granted(LockEvent event, long heldFor, long validFor) {
        long now = System.nanoTime();
        history.accept(HistoryEvent.granted(process, event.name(), now - heldFor, now, validFor));
    }

    private Optional<HeldLock> held(long fencingToken) {
        return engine.held().stream().filter(held -> held.fencingToken() == fencingToken).findFirst();
    }

    /** Failures with which no request may end. */
    public List<String> surprises() {
        return surprises;
    }

    /** How many requests have been granted so far. */
    public long granted() {
        return granted.get();
    }

    /** From now on every hold lasts at least this long; zero ends that. */
    public void linger(Duration atLeast) {
        requester.linger(atLeast);
    }

    /** No new requests from now on. */
    public void stop() {
        stopping = true;
    }

    /** Returns when the last requests have ended, or should have. */
    public void join() throws InterruptedException {
        for (Thread each : threads.subList(1, threads.size())) {
            each.join(LAST_WAIT.toMillis());
            if (each.isAlive()) {
                var hangs = new IllegalStateException("It hangs");
                hangs.setStackTrace(each.getStackTrace());
                surprise(each.getName() + " does not end", hangs);
            }
        }
        watch.stop();
    }

    /** What the engine still has. Soon after {@link #join} this must be empty. */
    public List<String> leftovers() {
        var left = new ArrayList<String>();
        engine.held().forEach(held -> left.add(process + " holds " + held));
        if (time.timers() > load.timers()) {
            left.add(process + " has " + time.timers() + " timers");
        }
        return left;
    }

    @Override
    public void close() {
        stopping = true;
        watch.stop();
        engine.close();
        requester.close();
        time.close();
    }
}
