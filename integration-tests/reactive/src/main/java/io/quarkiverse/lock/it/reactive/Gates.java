package io.quarkiverse.lock.it.reactive;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Lets the test decide when a method may continue, and tells it when the method has got that far. */
@ApplicationScoped
public class Gates {

    private final Map<String, CompletableFuture<Void>> reached = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<Void>> open = new ConcurrentHashMap<>();

    void open(String id) {
        future(open, id).complete(null);
    }

    Uni<Void> reached(String id) {
        return Uni.createFrom().completionStage(future(reached, id).copy());
    }

    /** Continues on the context it came from: a session may only be used on its own Vert.x context. */
    Uni<Void> pass(String id) {
        return Uni.createFrom().deferred(() -> {
            Context here = Vertx.currentContext();
            future(reached, id).complete(null);
            return Uni.createFrom().completionStage(future(open, id).copy())
                    .emitOn(task -> here.runOnContext(ignored -> task.run()));
        });
    }

    private static CompletableFuture<Void> future(Map<String, CompletableFuture<Void>> futures, String id) {
        return futures.computeIfAbsent(id, unknown -> new CompletableFuture<>());
    }
}
