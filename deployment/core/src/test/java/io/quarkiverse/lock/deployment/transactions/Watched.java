package io.quarkiverse.lock.deployment.transactions;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import io.quarkiverse.lock.LockManager;
import io.quarkus.arc.Arc;

/** Records how the transaction ends that is active at its creation, and whether this JVM then holds a lock. */
public class Watched {

    private final CompletableFuture<End> end = new CompletableFuture<>();

    /** What was seen when the transaction had completed. */
    public record End(boolean committed, boolean held) {

        public static final End COMMITTED_WHILE_HELD = new End(true, true);
        public static final End ROLLED_BACK_WHILE_HELD = new End(false, true);
    }

    private Watched() {
    }

    public static Watched transaction(String lockName) {
        Watched watched = new Watched();
        atTheEnd(status -> watched.end.complete(new End(status == Status.STATUS_COMMITTED, held(lockName))));
        return watched;
    }

    /** Runs a task when the transaction has completed, on the thread that completes it. */
    public static void atTheEnd(IntConsumer task) {
        register(new Sync(() -> {
        }, task));
    }

    /** Runs a task when the transaction is about to commit. */
    public static void beforeTheCommit(Runnable task) {
        register(new Sync(task, status -> {
        }));
    }

    private static void register(Synchronization synchronization) {
        Arc.container().instance(TransactionSynchronizationRegistry.class).get()
                .registerInterposedSynchronization(synchronization);
    }

    public End end() throws Exception {
        return end.get(10, TimeUnit.SECONDS);
    }

    public boolean ended() {
        return end.isDone();
    }

    public static boolean held(String name) {
        return Arc.container().instance(LockManager.class).get().held().stream().anyMatch(held -> held.name().equals(name));
    }

    record Sync(Runnable before, IntConsumer after) implements Synchronization {

        @Override
        public void beforeCompletion() {
            before.run();
        }

        @Override
        public void afterCompletion(int status) {
            after.accept(status);
        }
    }
}
