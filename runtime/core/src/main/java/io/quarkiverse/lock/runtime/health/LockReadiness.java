package io.quarkiverse.lock.runtime.health;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.StoreProbe;
import io.quarkiverse.lock.runtime.manager.StoreProbe.State;
import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Ready while all stores that keep locks answer. A lost lock is no reason to take a node out of service, nor are workers that
 * all wait for locks: the check needs none.
 */
@Readiness
@ApplicationScoped
public class LockReadiness implements AsyncHealthCheck {

    private final LockEngines engines;

    LockReadiness(LockEngines engines) {
        this.engines = engines;
    }

    @Override
    public Uni<HealthCheckResponse> call() {
        return Uni.createFrom().deferred(() -> Uni.createFrom().completionStage(this::answer).emitOn(caller()));
    }

    /** The application's observers of changes run there, which threads that serve locks must not wait for. */
    private static Executor caller() {
        Context context = Vertx.currentContext();
        return context != null && context.isEventLoopContext() ? task -> context.runOnContext(ignored -> task.run())
                : Infrastructure.getDefaultExecutor();
    }

    private CompletableFuture<HealthCheckResponse> answer() {
        Map<StoreProbe, CompletableFuture<State>> asked = new LinkedHashMap<>();
        for (StoreProbe store : engines.stores()) {
            asked.put(store, store.ask().toCompletableFuture());
        }
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(all -> {
            HealthCheckResponseBuilder response = HealthCheckResponse.named("Lock backends health check").up();
            asked.forEach((store, state) -> describe(store, state.join(), response));
            return response.build();
        });
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
