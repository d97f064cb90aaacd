package io.quarkiverse.lock.runtime.traces;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingResult;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.state.HoldSettings;

/** The events of a hold may arrive in any order. */
class HoldSpansTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    private final InMemorySpanExporter exported = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exported)).build();
    private final HoldSpans spans = start(provider, Context.root());

    private static HoldSpans start(SdkTracerProvider provider, Context caller) {
        return HoldSpans.start(provider.get("test"), caller, "order-1",
                new HoldSettings("<default>", null, 1, 30_000_000_000L, true, Long.MAX_VALUE, OnLost.FAIL, 0,
                        LockMode.EXCLUSIVE, 0),
                "local", false);
    }

    @AfterEach
    void close() {
        provider.close();
    }

    @Test
    void releaseBeforeGrantEventEndsTheSpan() {
        spans.ended(false);
        spans.granted(1, false);
        hasHold("released", StatusCode.UNSET, 0);
    }

    @Test
    void lossBeforeGrantEventIsRecorded() {
        spans.lost("the store has forgotten it");
        spans.granted(1, true);
        assertThat(hold()).isNull();
        spans.ended(true);
        hasHold("lost", StatusCode.ERROR, 1);
        assertThat(hold().getStatus().getDescription()).isEqualTo("the store has forgotten it");
    }

    @Test
    void lossAndEndBeforeGrantEventAreRecorded() {
        spans.ended(true);
        spans.lost("the store has forgotten it");
        spans.granted(1, false);
        hasHold("lost", StatusCode.ERROR, 1);
    }

    @Test
    void spanWaitsForTheReasonOfTheLoss() {
        spans.ended(true);
        spans.granted(1, false);
        assertThat(hold()).isNull();
        spans.lost("the store has forgotten it");
        spans.lost("it is lost twice");
        hasHold("lost", StatusCode.ERROR, 1);
    }

    @Test
    void abandonedWaitHasNoHoldSpan() {
        spans.givenUp();
        spans.lost("the store has forgotten it");
        spans.ended(true);
        spans.granted(1, false);
        assertThat(hold()).isNull();
    }

    @Test
    void unsampledHoldHasNoSpan() {
        try (var never = SdkTracerProvider.builder().setSampler(Sampler.alwaysOff()).build()) {
            assertThat(start(never, Context.root())).isNull();
        }
    }

    @Test
    void unsampledLocalParentHasNoHoldSpan() {
        SpanContext here = SpanContext.create(TRACE, SPAN, TraceFlags.getDefault(), TraceState.getDefault());
        try (var always = SdkTracerProvider.builder().setSampler(Sampler.alwaysOn()).build()) {
            assertThat(start(always, Context.root().with(Span.wrap(here)))).isNull();
        }
    }

    @Test
    void samplerDecidesOnUnsampledRemoteParent() {
        SpanContext there = SpanContext.createFromRemoteParent(TRACE, SPAN, TraceFlags.getDefault(), TraceState.getDefault());
        try (var always = SdkTracerProvider.builder().setSampler(Sampler.alwaysOn()).build()) {
            assertThat(start(always, Context.root().with(Span.wrap(there)))).isNotNull();
        }
    }

    @Test
    void recordOnlyParentHasHoldSpan() {
        try (var recordOnly = SdkTracerProvider.builder().setSampler(new Sampler() {

            @Override
            public SamplingResult shouldSample(Context parent, String trace, String name, SpanKind kind,
                    Attributes attributes, List<LinkData> links) {
                return SamplingResult.recordOnly();
            }

            @Override
            public String getDescription() {
                return "records all";
            }
        }).build()) {
            Span caller = recordOnly.get("test").spanBuilder("request").startSpan();
            assertThat(start(recordOnly, Context.root().with(caller))).isNotNull();
        }
    }

    private void hasHold(String outcome, StatusCode status, int events) {
        assertThat(hold()).isNotNull();
        assertThat(hold().getAttributes().get(LockAttributes.OUTCOME)).isEqualTo(outcome);
        assertThat(hold().getStatus().getStatusCode()).isEqualTo(status);
        assertThat(hold().getEvents()).hasSize(events);
    }

    /** {@code null} if the span has not ended, or there is none. */
    private SpanData hold() {
        return exported.getFinishedSpanItems().stream().filter(span -> span.getName().startsWith("lock hold")).findFirst()
                .orElse(null);
    }
}
