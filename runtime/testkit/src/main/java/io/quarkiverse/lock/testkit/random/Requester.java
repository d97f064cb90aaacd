package io.quarkiverse.lock.testkit.random;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.history.Cause;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;

/** Carries out plans, one per calling thread, and records their outcomes. */
final class Requester implements AutoCloseable {

    private final String process;
    private final LockManager locks;
    private final long operationTimeout;
    private final long keptFor;
    private final Watch watch;
    private final Duty duty;
    private final Consumer<HistoryEvent> history;
    private final AtomicLong holds = new AtomicLong();
    private volatile long shortest;
    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(1, task -> {
        var thread = new Thread(task, "give-up");
        thread.setDaemon(true);
        return thread;
    });

    Requester(String process, LockManager locks, long operationTimeout, long keptFor, Watch watch, Duty duty,
            Consumer<HistoryEvent> history) {
        this.process = process;
        this.locks = locks;
        this.operationTimeout = operationTimeout;
        this.keptFor = keptFor;
        this.watch = watch;
        this.duty = duty;
        this.history = history;
    }

    void linger(Duration atLeast) {
        shortest = atLeast.toNanos();
    }

    private long length(Plan plan) {
        return Math.max(shortest, plan.hold());
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }

    /** Whether the lock was granted. Throws exceptions with which no request may end. */
    boolean carryOut(Plan plan) throws Exception {
        var request = new Request(plan);
        DistributedLock lock = locks.lock(plan.name(), plan.options());
        long now = System.nanoTime();
        long patience = plan.patience().isZero() ? operationTimeout : plan.patience().toNanos();
        history.accept(HistoryEvent.invoked(process, plan.name(), request.hold, now, now + patience,
                Math.max(keptFor, plan.longestLease())));
        Cause cause = Cause.BUSY;
        try {
            switch (plan.style()) {
                case BLOCKING -> request.interrupted(() -> request.keep(lock.tryAcquire(plan.patience()).orElse(null)));
                case SCOPE -> request.interrupted(() -> lock.call(() -> request.inScope(lock)));
                case ASYNC -> request.keep(request.later(lock.acquireAsync()));
                case PIPELINE -> request.later(lock.callAsync(() -> request.inPipeline(lock)));
            }
        } catch (LockBusyException | LockInterruptedException | LockBackendException | LockLostException e) {
            // Refused: any trace of such a request in the store is undone. Or lost: the watch has seen it
            cause = cause(e);
        } catch (IllegalStateException e) {
            // Refused because the engine is closing, which is an answer as well; at any other time it must not happen
            history.accept(HistoryEvent.refused(process, plan.name(), request.hold, System.nanoTime(), Cause.CLOSED));
            throw e;
        }
        if (request.handle != null) {
            return true;
        }
        history.accept(HistoryEvent.refused(process, plan.name(), request.hold, System.nanoTime(),
                request.cancelled ? Cause.GIVEN_UP : cause));
        return false;
    }

    private static Cause cause(LockException refusal) {
        if (refusal instanceof LockBackendException) {
            return Cause.BACKEND;
        }
        if (refusal instanceof LockLostException) {
            return Cause.LOST;
        }
        return refusal instanceof LockInterruptedException ? Cause.GIVEN_UP : Cause.BUSY;
    }

    /** One request. */
    private final class Request {

        private final Plan plan;
        private final long hold = holds.incrementAndGet();
        private volatile @Nullable LockHandle handle;
        private volatile boolean cancelled;

        Request(Plan plan) {
            this.plan = plan;
        }

        private void took(LockHandle taken) {
            handle = taken;
            history.accept(HistoryEvent.acquired(process, plan.name(), hold, System.nanoTime(), taken.fencingToken()));
            watch.add(hold, taken);
            taken.onLost(() -> history.accept(HistoryEvent.lost(process, plan.name(), hold, System.nanoTime())));
        }

        /** Holds the lock, and releases it. */
        Void keep(@Nullable LockHandle taken) {
            if (taken != null) {
                took(taken);
                Runnable rest = duty.begin(taken);
                long half = length(plan) / 2;
                pause(half);
                extend(taken);
                pause(half);
                rest.run();
                watch.remove(hold, taken);
                if (!plan.leave()) {
                    release(taken);
                }
            }
            return null;
        }

        private void extend(LockHandle taken) {
            if (!plan.extend().isZero()) {
                try {
                    taken.extend(plan.extend());
                } catch (LockLostException | LockBackendException | LockInterruptedException e) {
                    // The hold is valid for as long as it says
                }
            }
        }

        private void release(LockHandle taken) {
            long from = System.nanoTime();
            boolean confirmed = true;
            try {
                // Works for an interrupted thread too
                taken.release().subscribeAsCompletionStage().join();
            } catch (CompletionException e) {
                confirmed = false;
            }
            history.accept(HistoryEvent.released(process, plan.name(), hold, from, System.nanoTime(), confirmed));
        }

        /** In a scope the same lock can be acquired again without waiting, unless it is lost. */
        Void inScope(DistributedLock lock) {
            LockHandle nested = lock.acquire();
            took(nested);
            Runnable rest = duty.begin(nested);
            pause(length(plan));
            rest.run();
            leave(nested);
            return null;
        }

        Uni<Void> inPipeline(DistributedLock lock) {
            return lock.acquireAsync().onItem().transformToUni(nested -> {
                took(nested);
                // Not on the backend's thread, which must not block
                return Uni.createFrom().item(() -> duty.begin(nested)).runSubscriptionOn(timers)
                        .onItem().delayIt().onExecutor(timers).by(Duration.ofNanos(length(plan) + 1))
                        .onItem().transformToUni(rest -> Uni.createFrom().<Void> item(() -> {
                            rest.run();
                            return null;
                        }).runSubscriptionOn(timers))
                        .onTermination().invoke(() -> leave(nested));
            });
        }

        /** The lock is released when the scope ends, and nobody reports whether that has worked. */
        private void leave(LockHandle nested) {
            watch.remove(hold, nested);
            long from = System.nanoTime();
            nested.release();
            history.accept(HistoryEvent.released(process, plan.name(), hold, from, System.nanoTime(), false));
        }

        /** Interrupts this thread after a while, but not once the request is over. */
        void interrupted(Callable<?> request) throws Exception {
            if (plan.giveUp() < 0) {
                request.call();
                return;
            }
            Thread caller = Thread.currentThread();
            var done = new boolean[1];
            timers.schedule(() -> {
                synchronized (done) {
                    if (!done[0]) {
                        caller.interrupt();
                    }
                }
            }, plan.giveUp(), TimeUnit.NANOSECONDS);
            try {
                request.call();
            } finally {
                synchronized (done) {
                    done[0] = true;
                }
                Thread.interrupted();
            }
        }

        /** Waits for a Uni, and cancels it after a while. */
        <T> @Nullable T later(Uni<T> uni) throws Exception {
            var answer = new CompletableFuture<@Nullable T>();
            Cancellable subscription = uni.subscribe().with(item -> {
                if (!answer.complete(item) && item instanceof LockHandle late) {
                    late.release();
                }
            }, answer::completeExceptionally);
            if (plan.giveUp() >= 0) {
                timers.schedule(() -> {
                    subscription.cancel();
                    answer.cancel(false);
                }, plan.giveUp(), TimeUnit.NANOSECONDS);
            }
            try {
                return answer.get();
            } catch (CancellationException e) {
                cancelled = true;
                return null;
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : e;
            }
        }
    }

    private static void pause(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = until - System.nanoTime()) {
            if (Thread.interrupted()) {
                continue;
            }
            LockSupport.parkNanos(left);
        }
    }
}
