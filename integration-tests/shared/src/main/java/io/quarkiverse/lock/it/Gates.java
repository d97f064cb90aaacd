package io.quarkiverse.lock.it;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jakarta.enterprise.context.ApplicationScoped;

import io.smallrye.mutiny.Uni;

/** Lets the test decide over HTTP when a running method may continue. */
@ApplicationScoped
class Gates {

    private static final Duration LONGEST = Duration.ofSeconds(20);

    private final Map<String, CompletableFuture<String>> gates = new ConcurrentHashMap<>();

    void open(String id) {
        gate(id).complete("done " + id);
    }

    String await(String id) throws InterruptedException {
        try {
            return gate(id).get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("The gate " + id + " was not opened", e);
        }
    }

    Uni<String> whenOpen(String id) {
        return Uni.createFrom().completionStage(gate(id).copy()).ifNoItem().after(LONGEST).fail();
    }

    private CompletableFuture<String> gate(String id) {
        return gates.computeIfAbsent(id, unopened -> new CompletableFuture<>());
    }
}
