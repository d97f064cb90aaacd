package io.quarkiverse.lock.it.observability;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Runs blocking code on a separate thread: the JVM's common pool may have only one. */
final class Elsewhere {

    private Elsewhere() {
    }

    static <T> CompletableFuture<T> start(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, each -> new Thread(each).start());
    }
}
