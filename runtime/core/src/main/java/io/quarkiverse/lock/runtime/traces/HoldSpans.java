package io.quarkiverse.lock.runtime.traces;

import org.jspecify.annotations.Nullable;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.HoldTrace;
import io.quarkiverse.lock.text.PrintableName;

/**
 * The spans of one caller's lock: the wait, then the hold. Both are children of the span in which the caller asked, whichever
 * thread brings the news. Neither is ever the current span: work under the lock belongs to the caller's span.
 */
final class HoldSpans implements HoldTrace {

    private final Tracer tracer;
    private final Context caller;
    private final String name;
    private final Attributes attributes;
    private final @Nullable String template;
    private final boolean names;
    private final Span wait;
    private boolean waiting = true;
    private @Nullable Span hold;
    /**
     * What has happened to the hold, perhaps before its grant is known here: the grant and the end may come on different
     * threads.
     */
    private boolean lost;
    private @Nullable String reason;
    private boolean over;
    private boolean lossToCome;

    private HoldSpans(Tracer tracer, Context caller, String name, Attributes attributes, @Nullable String template,
            boolean names, Span wait) {
        this.tracer = tracer;
        this.caller = caller;
        this.name = name;
        this.attributes = attributes;
        this.template = template;
        this.names = names;
        this.wait = wait;
    }

    /** {@code null} if this trace is not sampled: few are, so nothing is created before that is known. */
    static @Nullable HoldSpans start(Tracer tracer, Context caller, String name, HoldSettings settings, String backend,
            boolean names) {
        if (leftOut(caller)) {
            return null;
        }
        String template = settings.template();
        Span wait = tracer.spanBuilder(named("lock wait", template)).setParent(caller).startSpan();
        if (!wait.isRecording()) {
            return null;
        }
        Attributes attributes = attributes(name, settings, backend, names);
        wait.setAllAttributes(attributes);
        return new HoldSpans(tracer, caller, name, attributes, template, names, wait);
    }

    /** This JVM has decided against the caller's span; no need to ask the sampler again for each of its locks. */
    private static boolean leftOut(Context caller) {
        Span span = Span.fromContext(caller);
        SpanContext known = span.getSpanContext();
        return !known.isSampled() && known.isValid() && !known.isRemote() && !span.isRecording();
    }

    private static String named(String kind, @Nullable String template) {
        return template == null ? kind : kind + " " + template;
    }

    private static Attributes attributes(String name, HoldSettings settings, String backend, boolean names) {
        AttributesBuilder attributes = Attributes.builder()
                .put(LockAttributes.MANAGER, settings.manager())
                .put(LockAttributes.BACKEND, backend)
                .put(LockAttributes.MODE, settings.modeText());
        if (settings.template() != null) {
            attributes.put(LockAttributes.TEMPLATE, settings.template());
        }
        if (names) {
            attributes.put(LockAttributes.NAME, name);
        }
        return attributes.build();
    }

    @Override
    public synchronized void granted(long fencingToken, boolean handedOver) {
        if (waiting) {
            wait.setAttribute(LockAttributes.TOKEN, fencingToken);
            endWait(handedOver ? "handed-over" : "granted");
            hold = tracer.spanBuilder(named("lock hold", template)).setParent(caller).addLink(wait.getSpanContext())
                    .setAllAttributes(attributes).setAttribute(LockAttributes.TOKEN, fencingToken).startSpan();
            if (lost) {
                showLoss(hold);
            }
            endHoldIfOver();
        }
    }

    @Override
    public synchronized void busy(@Nullable String heldBy) {
        if (waiting) {
            String shown = shown(heldBy);
            if (shown != null) {
                wait.setAttribute(LockAttributes.HELD_BY, shown);
            }
            endWait("busy");
        }
    }

    @Override
    public synchronized void failed(@Nullable String why) {
        if (waiting) {
            error(wait, shown(why));
            endWait("failed");
        }
    }

    @Override
    public synchronized void givenUp() {
        if (waiting) {
            endWait("given-up");
        }
    }

    private void endWait(String outcome) {
        waiting = false;
        wait.setAttribute(LockAttributes.OUTCOME, outcome);
        wait.end();
    }

    @Override
    public synchronized void lost(@Nullable String why) {
        if (!lost) {
            lost = true;
            reason = shown(why);
            if (hold != null) {
                showLoss(hold);
                endHoldIfOver();
            }
        }
    }

    private void showLoss(Span span) {
        span.addEvent("quarkus.lock.lost",
                reason == null ? Attributes.empty() : Attributes.of(LockAttributes.REASON, reason));
        error(span, reason);
    }

    @Override
    public synchronized void ended(boolean lostByNow) {
        over = true;
        lossToCome = lostByNow;
        endHoldIfOver();
    }

    /** A lost hold is not over until the reason is known. */
    private void endHoldIfOver() {
        if (hold != null && over && (lost || !lossToCome)) {
            hold.setAttribute(LockAttributes.OUTCOME, lost ? "lost" : "released");
            hold.end();
            hold = null;
        }
    }

    private static void error(Span span, @Nullable String description) {
        if (description == null) {
            span.setStatus(StatusCode.ERROR);
        } else {
            span.setStatus(StatusCode.ERROR, description);
        }
    }

    /** Hides a text that would reveal the name, unless names are shown. */
    private @Nullable String shown(@Nullable String text) {
        return text == null || names || !text.contains(name) && !text.contains(PrintableName.of(name)) ? text : null;
    }
}
