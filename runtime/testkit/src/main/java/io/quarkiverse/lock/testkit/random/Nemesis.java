package io.quarkiverse.lock.testkit.random;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.quarkiverse.lock.testkit.history.HistoryEvent;

/**
 * Does to the users of a store what happens to them in production, one deed after the other, in an order that follows from the
 * seed. In every round, it does each deed as often as its weight says. Harmful deeds are recorded in the history, which excuses
 * the delays that they cause. They come in storms, and in the calm between two storms nothing is excused.
 *
 * @param <D> the deeds, each as often in the list as it is to occur in a round
 */
public abstract class Nemesis<D> implements Runnable {

    protected static final long MILLI = 1_000_000;
    private static final long STORM = TimeUnit.SECONDS.toNanos(11);
    private static final long CALM = TimeUnit.SECONDS.toNanos(11);
    private static final long MOMENT = 50 * MILLI;

    /**
     * A deed with everything that has been drawn for it.
     *
     * @param what a description for the log
     * @param victim nothing else is done to it meanwhile
     * @param begin does it, and lasts as long as the deed
     * @param end heals the damage, also after a failure
     */
    public record Step(String what, ReentrantLock victim, Runnable begin, Runnable end) {
    }

    private final List<D> deeds;
    private final boolean harmful;
    private final Random random;
    private final Consumer<HistoryEvent> history;
    private final Consumer<String> log;
    private final long started = System.nanoTime();
    private volatile long harmingSince;
    private volatile boolean stopped;

    protected Nemesis(List<D> deeds, boolean harmful, long seed, Consumer<HistoryEvent> history, Consumer<String> log) {
        this.deeds = List.copyOf(deeds);
        this.harmful = harmful;
        this.random = new Random(seed);
        this.history = history;
        this.log = log;
    }

    /** Plans a deed from random draws only, so that the seed decides. */
    protected abstract Step step(D deed, Random random);

    /** A deed is over. */
    protected void done(D deed, long from, long to) {
    }

    public final void stop() {
        stopped = true;
    }

    /** Since when it has been doing harm, 0 if it is not; for readers of the history before the deed is over. */
    public final long harmingSince() {
        return harmingSince;
    }

    protected final void log(String what) {
        log.accept(what);
    }

    protected final void tell(HistoryEvent event) {
        history.accept(event);
    }

    @Override
    public final void run() {
        while (!stopped && !deeds.isEmpty()) {
            var round = new ArrayList<>(deeds);
            Collections.shuffle(round, random);
            for (D deed : round) {
                Step step = step(deed, random);
                long rest = random.nextInt(harmful ? 400 : 1000) * MILLI;
                if (!stopped) {
                    log.accept(step.what());
                    carryOut(deed, step);
                }
                pause(rest + (harmful ? calm() : 0));
            }
        }
    }

    /** The rest of the calm after a storm. */
    private long calm() {
        long at = (System.nanoTime() - started) % (STORM + CALM);
        return at < STORM ? 0 : STORM + CALM - at;
    }

    private void carryOut(D deed, Step step) {
        step.victim().lock();
        long from = System.nanoTime();
        harmingSince = harmful ? from : 0;
        try {
            step.begin().run();
        } finally {
            step.end().run();
            long to = System.nanoTime();
            if (harmful) {
                history.accept(HistoryEvent.fault(from, to));
            }
            done(deed, from, to);
            harmingSince = 0;
            step.victim().unlock();
        }
    }

    /** Waits for the duration of a deed; cut short at the end of the run. */
    protected final void pause(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !stopped; left = until - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, MOMENT));
        }
    }
}
