package io.quarkiverse.lock.runtime.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.inject.Singleton;

import org.jspecify.annotations.Nullable;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.lease.Census.Group;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.StoreProbe;
import io.quarkiverse.lock.runtime.manager.StoreProbe.State;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockListener;

/**
 * Counts what happens to locks. A template has meters from its first event on. The meters are not kept in static fields, since
 * those of an earlier start in dev mode would record into nothing.
 */
@Singleton
public class LockMetrics implements LockListener {

    private final MeterRegistry registry;
    private final LockEngines engines;
    private final Map<Key, TemplateMeters> meters = new ConcurrentHashMap<>();
    private final Map<String, RecentCensus> censuses = new ConcurrentHashMap<>();

    LockMetrics(MeterRegistry registry, LockEngines engines) {
        this.registry = registry;
        this.engines = engines;
    }

    private record Key(String backend, String manager, String template) {
    }

    @Override
    public void onEvent(LockEvent event) {
        Key key = new Key(event.backend(), event.manager(), LockMeters.tag(event.template()));
        TemplateMeters known = meters.get(key);
        if (known == null) {
            known = meters.computeIfAbsent(key, this::make);
        }
        known.record(event);
    }

    private TemplateMeters make(Key key) {
        Group group = new Group(key.manager, key.template);
        Tags tags = Tags.of(LockMeters.MANAGER, key.manager, LockMeters.BACKEND, key.backend, LockMeters.TEMPLATE,
                key.template);
        RecentCensus census = censuses.computeIfAbsent(key.backend, this::censusOf);
        return new TemplateMeters(registry, tags, () -> census.of(group));
    }

    private RecentCensus censusOf(String backend) {
        return new RecentCensus(() -> {
            for (LockEngine engine : engines.all()) {
                if (engine.backend().name().equals(backend)) {
                    return engine.census().take();
                }
            }
            return Map.of(); // the application has ended, or has not started yet
        });
    }

    /** Call it once the engines have started and the registry has its filters. */
    void watchStores() {
        for (StoreProbe store : engines.stores()) {
            Gauge.builder(LockMeters.CONNECTED, () -> connected(store.latest()))
                    .description("Whether the store of the locks answers: 1 or 0")
                    .tags(LockMeters.BACKEND, store.backend())
                    .register(registry);
        }
    }

    private static double connected(@Nullable State state) {
        return state == null ? Double.NaN : state.well() ? 1 : 0;
    }
}
