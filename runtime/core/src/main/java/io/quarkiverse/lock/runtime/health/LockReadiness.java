package io.quarkiverse.lock.runtime.health;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.StoreProbe;
import io.quarkiverse.lock.runtime.manager.StoreProbe.State;

/** Ready while all stores that keep locks answer. A lost lock is no reason to take a node out of service. */
@Readiness
@ApplicationScoped
public class LockReadiness implements HealthCheck {

    private final LockEngines engines;

    LockReadiness(LockEngines engines) {
        this.engines = engines;
    }

    @Override
    public HealthCheckResponse call() {
        Map<StoreProbe, CompletableFuture<State>> asked = new LinkedHashMap<>();
        for (StoreProbe store : engines.stores()) {
            asked.put(store, store.ask().toCompletableFuture());
        }
        HealthCheckResponseBuilder response = HealthCheckResponse.named("Lock backends health check").up();
        asked.forEach((store, answer) -> describe(store, answer.join(), response));
        return response.build();
    }

    private static void describe(StoreProbe store, State state, HealthCheckResponseBuilder response) {
        String backend = store.backend();
        response.withData(backend, state.well() ? "UP" : "DOWN");
        response.withData(backend + ".managers", String.join(", ", store.managers()));
        if (state.failure() != null && state.since() != null) {
            response.down();
            response.withData(backend + ".failure", state.failure());
            response.withData(backend + ".since", state.since().toString());
        }
    }
}
