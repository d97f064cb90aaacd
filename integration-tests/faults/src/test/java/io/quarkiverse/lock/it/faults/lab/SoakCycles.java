package io.quarkiverse.lock.it.faults.lab;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;

/** One use of a lock at a time, from its request to its end. */
final class SoakCycles {

    /** How the lock is requested. */
    enum Style {
        BLOCKING,
        UNI,
        VIRTUAL
    }

    /** The purpose, and its share in percent. */
    enum Kind {
        FRESH(38),
        HOT(18),
        SHARED(8),
        LIMIT(8),
        SEVERAL(6),
        OCCUPY(5),
        IMPATIENT(5),
        KEPT(4),
        EXTEND(4),
        ASKED(2),
        ABANDON(1),
        CANCEL(1);

        private final int weight;

        Kind(int weight) {
            this.weight = weight;
        }

        static Kind any(SplittableRandom random) {
            int at = random.nextInt(100);
            for (Kind each : values()) {
                at -= each.weight;
                if (at < 0) {
                    return each;
                }
            }
            return FRESH;
        }
    }

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(PATIENCE);
    private static final String OCCUPIED = "occupied";
    private static final @Nullable Method VIRTUAL_THREAD = virtualThread();

    private final LockManager locks;
    private final Supplier<String> freshName;
    private final Consumer<LockHandle> abandoned;

    /** @param abandoned gets the holds that are left to their leases */
    SoakCycles(LockManager locks, Supplier<String> freshName, Consumer<LockHandle> abandoned) {
        this.locks = locks;
        this.freshName = freshName;
        this.abandoned = abandoned;
    }

    /** From the request to the end. Returns false if somebody else had the lock. */
    boolean run(Kind kind, Style style, SplittableRandom random) throws Exception {
        if (style != Style.VIRTUAL || VIRTUAL_THREAD == null) {
            return cycle(kind, style, random);
        }
        var answer = new CompletableFuture<Boolean>();
        VIRTUAL_THREAD.invoke(null, (Runnable) () -> complete(answer, () -> cycle(kind, style, random)));
        return result(answer);
    }

    private boolean cycle(Kind kind, Style style, SplittableRandom random) throws Exception {
        return switch (kind) {
            case FRESH -> hold(locks.lock(freshName.get(), PATIENT), style, random.nextInt(2));
            case HOT -> hold(locks.lock("hot-" + random.nextInt(3), PATIENT), style, random.nextInt(3));
            case SHARED -> hold(locks.lock("book", PATIENT.withMode(random.nextInt(4) == 0 ? LockMode.EXCLUSIVE
                    : LockMode.SHARED)), style, random.nextInt(5));
            case LIMIT -> hold(locks.lock("places", PATIENT.withLimit(3)), style, random.nextInt(5));
            case SEVERAL -> hold(locks.all(PATIENT, "left", freshName.get(), "right"), style, random.nextInt(3));
            case OCCUPY -> hold(locks.lock(OCCUPIED, PATIENT), style, 60);
            case IMPATIENT -> hold(locks.lock(OCCUPIED, LockOptions.DEFAULTS.withWaitFor(
                    Duration.ofMillis(random.nextInt(8)))), style, 0);
            case KEPT -> keep(freshName.get(), style);
            case EXTEND -> extend(locks.lock(freshName.get(), PATIENT), style);
            case ASKED -> giveBackWhenAsked(freshName.get(), style);
            case ABANDON -> abandon(freshName.get());
            case CANCEL -> cancel(random.nextInt(4));
        };
    }

    private boolean hold(DistributedLock lock, Style style, int millis) throws Exception {
        if (style == Style.UNI) {
            return result(lock.callAsync(() -> {
                Uni<Boolean> body = Uni.createFrom().item(true);
                return millis == 0 ? body : body.onItem().delayIt().by(Duration.ofMillis(millis));
            }).subscribeAsCompletionStage());
        }
        try (LockHandle hold = acquire(lock, style)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis)); // for how long it is needed
            return valid(hold);
        }
    }

    private static boolean valid(LockHandle hold) {
        if (!hold.isValid()) {
            throw new IllegalStateException(hold.name() + " is not valid any more");
        }
        return true;
    }

    private static LockHandle acquire(DistributedLock lock, Style style) throws Exception {
        return style == Style.UNI ? result(lock.acquireAsync().subscribeAsCompletionStage()) : lock.acquire();
    }

    /** Released, but kept taken for a while. */
    private boolean keep(String name, Style style) throws Exception {
        acquire(locks.lock(name, PATIENT.withHoldAtLeast(Duration.ofMillis(200))), style).close();
        return locks.lock(name).tryAcquire(Duration.ZERO).map(hold -> {
            hold.close();
            return true;
        }).orElse(false);
    }

    private static boolean extend(DistributedLock lock, Style style) throws Exception {
        try (LockHandle hold = acquire(lock, style)) {
            hold.extend(Duration.ofSeconds(40));
            return valid(hold);
        }
    }

    private boolean giveBackWhenAsked(String name, Style style) throws Exception {
        // It is noticed at the next renewal at the latest
        try (LockHandle hold = acquire(locks.lock(name, PATIENT.withLease(Duration.ofSeconds(6))), style)) {
            if (!locks.requestRelease(name)) {
                throw new IllegalStateException("Nobody was asked for " + name);
            }
            hold.releaseRequested().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return true;
        }
    }

    private boolean abandon(String name) {
        abandoned.accept(locks.lock(name, PATIENT.withLease(SoakWork.ABANDONED).withRenew(false)).acquire());
        return true;
    }

    private boolean cancel(int millis) throws Exception {
        var answer = new CompletableFuture<Boolean>();
        Cancellable waiting = locks.lock(OCCUPIED, PATIENT).callAsync(() -> Uni.createFrom().item(true))
                .subscribe().with(answer::complete, answer::completeExceptionally);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis)); // for so long it is waited for
        waiting.cancel();
        return answer.getNow(false);
    }

    private static void complete(CompletableFuture<Boolean> answer, Callable<Boolean> task) {
        try {
            answer.complete(task.call());
        } catch (Throwable e) {
            answer.completeExceptionally(e);
        }
    }

    private static <T> T result(CompletableFuture<T> answer) throws Exception {
        try {
            return answer.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static @Nullable Method virtualThread() {
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            return null; // before JDK 21
        }
    }
}
