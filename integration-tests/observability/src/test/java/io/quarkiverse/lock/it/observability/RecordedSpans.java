package io.quarkiverse.lock.it.observability;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.inject.Singleton;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;

/** The spans of this JVM, as they begin and as they end. */
@Singleton
public class RecordedSpans implements SpanProcessor {

    private final List<SpanData> begun = new CopyOnWriteArrayList<>();
    private final List<SpanData> ended = new CopyOnWriteArrayList<>();

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
        begun.add(span.toSpanData());
    }

    @Override
    public boolean isStartRequired() {
        return true;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        ended.add(span.toSpanData());
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    void clear() {
        begun.clear();
        ended.clear();
    }

    List<SpanData> begun() {
        return begun;
    }

    List<SpanData> ended(String kind) {
        return ended.stream().filter(span -> span.getName().startsWith(kind)).toList();
    }

    /** The ended spans of a trace whose name begins with {@code kind}. */
    List<SpanData> ended(String kind, String trace) {
        return ended(kind).stream().filter(span -> span.getTraceId().equals(trace)).toList();
    }

    /** The span of a request; {@code null} if it has not ended. */
    SpanData ofServer(String trace) {
        return ended.stream().filter(span -> span.getTraceId().equals(trace) && !span.getParentSpanContext().isValid())
                .findFirst().orElse(null);
    }
}
