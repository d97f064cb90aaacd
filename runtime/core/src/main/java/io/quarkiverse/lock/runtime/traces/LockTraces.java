package io.quarkiverse.lock.runtime.traces;

import java.util.concurrent.Executor;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.HoldTrace;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;

/** Creates spans for waits and holds, beside those of the caller's other work. */
@Singleton
public class LockTraces implements Tracing {

    private final Instance<OpenTelemetry> openTelemetry;
    private final boolean names;
    private volatile @Nullable Tracer tracer;

    LockTraces(Instance<OpenTelemetry> openTelemetry, LockRuntimeConfig config) {
        this.openTelemetry = openTelemetry;
        this.names = config.traces().names();
    }

    @Override
    public @Nullable HoldTrace requested(String name, HoldSettings settings, String backend) {
        return HoldSpans.start(tracer(), Context.current(), name, settings, backend, names);
    }

    @Override
    public Executor keepingContext(Executor threads) {
        return Context.current().wrap(threads);
    }

    /** Looked up when the first lock is requested: nothing guarantees that OpenTelemetry starts before the locks. */
    private Tracer tracer() {
        Tracer known = tracer;
        if (known == null) {
            known = openTelemetry.get().getTracer("io.quarkiverse.lock");
            tracer = known;
        }
        return known;
    }
}
