package io.quarkiverse.lock.runtime.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.quarkiverse.lock.engine.lease.Census.Count;
import io.quarkiverse.lock.spi.LockEvent;

/** The meters of all locks made from one template. Created once: a registry lookup for each event would cost too much. */
final class TemplateMeters {

    private final MeterRegistry registry;
    private final Tags tags;
    private final Counter acquired;
    private final Counter handedOver;
    private final Counter busy;
    private final Counter failed;
    private final Counter suspected;
    private final Counter lost;
    private final Counter retried;
    private final Counter releasedLate;
    /** By outcome. Outcomes that never happen have no buckets. */
    private final Map<String, Timer> waits = new ConcurrentHashMap<>();
    private final Map<String, Timer> holds = new ConcurrentHashMap<>();

    /** @param count counts current holders and waiters */
    TemplateMeters(MeterRegistry registry, Tags tags, Supplier<Count> count) {
        this.registry = registry;
        this.tags = tags;
        acquired = counter(LockMeters.ACQUIRED, "Locks that callers got");
        handedOver = counter(LockMeters.HANDED_OVER,
                "Locks that callers got inside this JVM, without asking the store");
        busy = counter(LockMeters.BUSY, "Waits that ended without the lock because somebody else held it");
        failed = counter(LockMeters.FAILED, "Waits that ended without an answer from the store");
        suspected = counter(LockMeters.SUSPECTED,
                "Holds that came into doubt: a renewal got no answer, or the connection was lost");
        lost = counter(LockMeters.LOST, "Holds that were lost");
        retried = counter(LockMeters.RETRIED, "Renewals, releases and downgrades that were retried");
        releasedLate = counter(LockMeters.RELEASED_LATE, "Releases that succeeded only after a retry");
        gauge(LockMeters.HELD, "Locks that are held now", count, Count::held, null);
        gauge(LockMeters.WAITING, "Callers that wait for a lock now", count, Count::waiting, null);
        gauge(LockMeters.OLDEST_HOLD, "How long the oldest of the locks that are held now has been held", count,
                now -> now.oldestNanos() / 1e9, "seconds");
    }

    void record(LockEvent event) {
        switch (event.kind()) {
            case GRANTED -> {
                acquired.increment();
                waited("granted", event.nanos());
            }
            case BATON -> {
                acquired.increment();
                handedOver.increment();
                waited("handed-over", event.nanos());
            }
            case BUSY -> {
                busy.increment();
                waited("busy", event.nanos());
            }
            case FAILED -> {
                failed.increment();
                waited("failed", event.nanos());
            }
            case RELEASED -> held("released", event.nanos());
            case LOST -> {
                lost.increment();
                held("lost", event.nanos());
            }
            case SUSPECT -> suspected.increment();
            case RETRIED -> retried.increment();
            case RELEASED_LATE -> releasedLate.increment();
            case REQUESTED, RELEASE_REQUESTED -> {
                // only the end of the wait and the release are counted
            }
        }
    }

    private void waited(String outcome, long nanos) {
        timer(waits, LockMeters.WAIT, outcome, "How long callers waited for a lock", LockMeters.WAIT_BUCKETS)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    private void held(String outcome, long nanos) {
        timer(holds, LockMeters.HOLD, outcome, "How long locks were held", LockMeters.HOLD_BUCKETS)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer timer(Map<String, Timer> known, String name, String outcome, String description, Duration[] buckets) {
        Timer timer = known.get(outcome);
        return timer != null ? timer
                : known.computeIfAbsent(outcome, first -> Timer.builder(name).description(description)
                        .tags(tags.and(LockMeters.OUTCOME, outcome)).serviceLevelObjectives(buckets).register(registry));
    }

    private Counter counter(String name, String description) {
        return Counter.builder(name).description(description).tags(tags).register(registry);
    }

    private void gauge(String name, String description, Supplier<Count> count, ToDoubleFunction<Count> value,
            @Nullable String unit) {
        Gauge.builder(name, () -> value.applyAsDouble(count.get())).description(description).tags(tags).baseUnit(unit)
                .register(registry);
    }
}
