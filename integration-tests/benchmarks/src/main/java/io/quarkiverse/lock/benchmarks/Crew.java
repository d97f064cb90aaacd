package io.quarkiverse.lock.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

import org.HdrHistogram.Histogram;

/** Threads that take and release locks until time is up. */
final class Crew {

    static final Function<Runnable, Thread> PLATFORM = task -> {
        Thread thread = new Thread(task, "bench");
        thread.start();
        return thread;
    };

    private final Load load;
    private final List<FutureTask<Tally>> members = new ArrayList<>();

    Crew(Load load) {
        this.load = load;
    }

    Crew member(Mutex mutex, Guarded guarded) {
        members.add(new FutureTask<>(() -> work(mutex, guarded)));
        return this;
    }

    /** The results in the order of the members; a thread that failed fails all. */
    List<Tally> run(Function<Runnable, Thread> threads) {
        members.forEach(threads::apply);
        var tallies = new ArrayList<Tally>();
        for (var member : members) {
            try {
                tallies.add(member.get());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            } catch (ExecutionException e) {
                throw new IllegalStateException("A thread failed: " + e.getCause(), e.getCause());
            }
        }
        return tallies;
    }

    private Tally work(Mutex mutex, Guarded guarded) {
        Histogram times = Tally.histogram();
        Histogram crossed = Tally.histogram();
        load.awaitStart();
        long cycles = 0;
        long now = System.nanoTime();
        while (!load.over(now)) {
            long asked = now;
            mutex.lock();
            long held = System.nanoTime();
            if (guarded.touch()) {
                crossed.recordValue(held - asked);
            }
            load.hold(held);
            mutex.unlock();
            now = System.nanoTime();
            times.recordValue((load.waits() ? held : now) - asked);
            cycles++;
        }
        return new Tally(List.of(cycles), times, crossed, now - load.startAt());
    }
}
