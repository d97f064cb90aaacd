package io.quarkiverse.lock.runtime.traces;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.HoldTrace;

/** Creates the spans without the container to which {@link LockTraces} belongs. */
public final class Spans implements Tracing {

    private final Tracer tracer;

    private Spans(Tracer tracer) {
        this.tracer = tracer;
    }

    public static Tracing in(OpenTelemetry telemetry) {
        return new Spans(telemetry.getTracer("io.quarkiverse.lock"));
    }

    @Override
    public @Nullable HoldTrace requested(String name, HoldSettings settings, String backend) {
        return HoldSpans.start(tracer, Context.current(), name, settings, backend, false);
    }

    @Override
    public Executor keepingContext(Executor threads) {
        return Context.current().wrap(threads);
    }
}
