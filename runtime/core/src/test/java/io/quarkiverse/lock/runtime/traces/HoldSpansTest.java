package io.quarkiverse.lock.runtime.traces;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.state.HoldSettings;

/** What happens to a hold may be heard of in any order. */
class HoldSpansTest {

    private final InMemorySpanExporter exported = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exported)).build();
    private final HoldSpans spans = HoldSpans.start(provider.get("test"), Context.root(), "order-1",
            new HoldSettings("<default>", null, 1, 30_000_000_000L, true, Long.MAX_VALUE, OnLost.FAIL, 0, LockMode.EXCLUSIVE,
                    0),
            "local", false);

    @AfterEach
    void close() {
        provider.close();
    }

    @Test
    void overBeforeTheGrantIsKnown() {
        spans.ended(false);
        spans.granted(1, false);
        hasHold("released", StatusCode.UNSET, 0);
    }

    @Test
    void lostBeforeTheGrantIsKnown() {
        spans.lost("the store has forgotten it");
        spans.granted(1, true);
        assertThat(hold()).isNull();
        spans.ended(true);
        hasHold("lost", StatusCode.ERROR, 1);
        assertThat(hold().getStatus().getDescription()).isEqualTo("the store has forgotten it");
    }

    @Test
    void lostAndOverBeforeTheGrantIsKnown() {
        spans.ended(true);
        spans.lost("the store has forgotten it");
        spans.granted(1, false);
        hasHold("lost", StatusCode.ERROR, 1);
    }

    @Test
    void whyItIsLostComesLast() {
        spans.ended(true);
        spans.granted(1, false);
        assertThat(hold()).isNull();
        spans.lost("the store has forgotten it");
        spans.lost("it is lost twice");
        hasHold("lost", StatusCode.ERROR, 1);
    }

    @Test
    void whatIsNotGrantedIsNoHold() {
        spans.givenUp();
        spans.lost("the store has forgotten it");
        spans.ended(true);
        spans.granted(1, false);
        assertThat(hold()).isNull();
    }

    private void hasHold(String outcome, StatusCode status, int events) {
        assertThat(hold()).isNotNull();
        assertThat(hold().getAttributes().get(LockAttributes.OUTCOME)).isEqualTo(outcome);
        assertThat(hold().getStatus().getStatusCode()).isEqualTo(status);
        assertThat(hold().getEvents()).hasSize(events);
    }

    /** {@code null} if it goes on, or there is none. */
    private SpanData hold() {
        return exported.getFinishedSpanItems().stream().filter(span -> span.getName().startsWith("lock hold")).findFirst()
                .orElse(null);
    }
}
