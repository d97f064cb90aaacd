package io.quarkiverse.lock.runtime.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;

/** Which metrics each kind of event adds to. */
class LockMetricsTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LockMetrics metrics = new LockMetrics(registry, new LockEngines());

    @Test
    void waitEventsAreCounted() {
        happens(Kind.REQUESTED, 0);
        happens(Kind.GRANTED, 5);
        assertThat(counted()).isEqualTo(Map.of("acquired", 1, "wait granted", 1));
        happens(Kind.BATON, 7);
        assertThat(counted())
                .isEqualTo(Map.of("acquired", 2, "handed.over", 1, "wait granted", 1, "wait handed-over", 1));
        happens(Kind.BUSY, 9);
        happens(Kind.FAILED, 11);
        assertThat(counted()).isEqualTo(Map.of("acquired", 2, "handed.over", 1, "busy", 1, "failed", 1,
                "wait granted", 1, "wait handed-over", 1, "wait busy", 1, "wait failed", 1));
        assertThat(registry.get(LockMeters.WAIT).tag(LockMeters.OUTCOME, "busy").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(9);
    }

    @Test
    void holdEventsAreCounted() {
        happens(Kind.RELEASED, 5);
        happens(Kind.LOST, 7);
        happens(Kind.SUSPECT, 3);
        happens(Kind.RETRIED, 0);
        happens(Kind.RELEASED_LATE, 8);
        happens(Kind.RELEASE_REQUESTED, 1);
        assertThat(counted()).isEqualTo(Map.of("hold released", 1, "hold lost", 1, "lost", 1, "suspected", 1, "retried", 1,
                "released.late", 1));
        assertThat(registry.get(LockMeters.HOLD).tag(LockMeters.OUTCOME, "lost").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(7);
    }

    @Test
    void locksWithoutTemplateShareOneTag() {
        for (int i = 0; i < 100; i++) {
            metrics.onEvent(new LockEvent(Kind.GRANTED, "name-" + i, null, i, 0, null));
        }
        assertThat(registry.get(LockMeters.ACQUIRED).tag(LockMeters.TEMPLATE, LockMeters.NO_TEMPLATE).counter().count())
                .isEqualTo(100);
        assertThat(registry.find(LockMeters.ACQUIRED).counters()).hasSize(1);
    }

    @Test
    void templateIsCountedPerManagerAndBackend() {
        String[][] takers = { { "redis", "<default>" }, { "redis", "orders" }, { "jpa", "orders" } };
        for (int i = 0; i < takers.length; i++) {
            for (int times = 0; times <= i; times++) {
                metrics.onEvent(new LockEvent(Kind.GRANTED, "order-7", "order-{id}", 1, 0, null, takers[i][0], takers[i][1]));
            }
        }
        for (int i = 0; i < takers.length; i++) {
            assertThat(registry.get(LockMeters.ACQUIRED).tags(LockMeters.BACKEND, takers[i][0], LockMeters.MANAGER,
                    takers[i][1], LockMeters.TEMPLATE, "order-{id}").counter().count()).isEqualTo(i + 1);
        }
        assertThat(registry.find(LockMeters.ACQUIRED).counters()).hasSize(takers.length);
    }

    @Test
    void firstRequestRegistersTheGauges() {
        happens(Kind.REQUESTED, 0);
        assertThat(registry.find(LockMeters.WAITING).gauges()).hasSize(1);
    }

    private void happens(Kind kind, long seconds) {
        metrics.onEvent(new LockEvent(kind, "order-7", "order-{id}", 1, TimeUnit.SECONDS.toNanos(seconds), "why"));
    }

    /** The metrics that are not zero, without the common part of their names. */
    private Map<String, Integer> counted() {
        Map<String, Integer> counted = new TreeMap<>();
        for (Counter each : Search.in(registry).name(name -> true).counters()) {
            if (each.count() > 0) {
                counted.put(each.getId().getName().substring("quarkus.lock.".length()), (int) each.count());
            }
        }
        for (Timer each : Search.in(registry).name(name -> true).timers()) {
            counted.put(each.getId().getName().substring("quarkus.lock.".length()) + " "
                    + each.getId().getTag(LockMeters.OUTCOME), (int) each.count());
        }
        return counted;
    }
}
