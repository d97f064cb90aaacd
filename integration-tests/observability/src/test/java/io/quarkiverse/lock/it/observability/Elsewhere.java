package io.quarkiverse.lock.it.observability;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Who blocks has a thread of its own: the JVM's common pool may have no other one. */
final class Elsewhere {

    private Elsewhere() {
    }

    static <T> CompletableFuture<T> start(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, each -> new Thread(each).start());
    }
}
