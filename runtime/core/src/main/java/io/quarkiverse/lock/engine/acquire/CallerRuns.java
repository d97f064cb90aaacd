package io.quarkiverse.lock.engine.acquire;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Work that should run where its caller was. If no more work is accepted there, as while an application stops, the current
 * thread runs it, because somebody waits for the outcome.
 */
public final class CallerRuns implements Runnable {

    private final Runnable work;
    private volatile boolean begun;

    private CallerRuns(Runnable work) {
        this.work = work;
    }

    /** Runs {@code work} there, or here if it is rejected there. */
    public static void run(Executor there, Runnable work) {
        run(there, work, rejection -> work.run());
    }

    /** @param instead what runs here if {@code work} is rejected there */
    public static void run(Executor there, Runnable work, Consumer<RejectedExecutionException> instead) {
        CallerRuns led = new CallerRuns(work);
        try {
            there.execute(led);
        } catch (RejectedExecutionException e) {
            if (led.begun) {
                throw e; // thrown by the work itself, which needed no other thread
            }
            instead.accept(e);
        }
    }

    @Override
    public void run() {
        begun = true;
        work.run();
    }
}
