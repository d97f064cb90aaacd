package io.quarkiverse.lock.runtime.manager;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.LockEngineBuilder;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.deadlock.LockOrders;
import io.quarkiverse.lock.engine.deadlock.LongWaits;
import io.quarkiverse.lock.engine.news.Tracing;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.runtime.jfr.FlightRecording;
import io.quarkiverse.lock.runtime.off.SwitchedOffLockManager;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkiverse.lock.spi.LockListener;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.shutdown.ShutdownConfig;

/** The engines of this application, one for each backend in use, and the managers on them. */
public final class LockEngines {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");

    private final Map<String, LockEngine> byBackend = new LinkedHashMap<>();
    private final Map<String, LockEngine> byManager = new LinkedHashMap<>();
    private final Map<String, ManagerDefaults> defaults = new LinkedHashMap<>();
    private @Nullable List<StoreProbe> stores;
    /** A field, because a lambda that captures it would load the class, which production does not need. */
    private @Nullable LockOrders orders;
    private @Nullable LongWaits longWaits;
    private volatile boolean off;
    /** The values of {@link #byBackend}, for other threads. */
    private volatile List<LockEngine> all = List.of();

    /** @param backends the backend of each manager */
    public void start(Map<String, String> backends, LockRuntimeConfig config, ShutdownConfig shutdown,
            @Nullable LockListener listener) {
        Tracing tracing = Arc.container().instance(Tracing.class).get(); // only OpenTelemetry provides one
        ManagerSettings settings = new ManagerSettings(config);
        // Loops instead of lambdas: this is part of every start, and each lambda creates a class
        for (String manager : backends.keySet()) {
            defaults.put(manager, settings.of(manager));
        }
        settings.check();
        warnOfUnknown(config);
        if (!config.enabled()) {
            off = true;
            LOG.warn("Locks are switched off (quarkus.lock.enabled=false): locked code runs without a lock, in this JVM and "
                    + "alongside others");
            return;
        }
        fencingFloor(config); // a wrong one is refused before anything is made that would have to be closed
        String namespace = Namespace.choose(config, backends.values());
        longWaits = config.deadlockDetection() ? new LongWaits() : null;
        orders = config.deadlockDetection() && LaunchMode.current().isDevOrTest() ? new LockOrders() : null;
        String owner = config.owner().isPresent() ? config.owner().get() : Owner.describe();
        try {
            for (Map.Entry<String, String> each : backends.entrySet()) {
                LockEngine engine = byBackend.get(each.getValue());
                if (engine == null) {
                    engine = start(each.getValue(), namespace, owner, config, listener, tracing);
                    byBackend.put(each.getValue(), engine);
                }
                byManager.put(each.getKey(), engine);
            }
            for (Map.Entry<String, LockEngine> each : byManager.entrySet()) {
                ManagerDefaults manager = defaults(each.getKey());
                LockEngine engine = each.getValue();
                settings.checkFeatures(each.getKey(), engine.transactional());
                settings.checkInheritedLinger(manager, engine.transactional());
                settings.checkLongest(each.getKey(), manager.lease(), engine.backend().longestLease());
            }
            settings.check();
            all = List.copyOf(byBackend.values());
            StartLine line = new StartLine();
            for (Map.Entry<String, String> each : backends.entrySet()) {
                line.add(each.getKey(), each.getValue(), StartLine.place(provider(each.getValue())), defaults(each.getKey()),
                        engine(each.getKey()));
            }
            line.log(namespace, config.fencingFloor(), owner, shutdown);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Not a failure: the same settings may serve a build of the application that has the manager. */
    private void warnOfUnknown(LockRuntimeConfig config) {
        for (String manager : config.managers().keySet()) {
            if (!defaults.containsKey(manager)) {
                Set<String> known = new TreeSet<>(defaults.keySet());
                known.remove(LockManagers.DEFAULT);
                LOG.warnf("%s changes nothing: the application was built without such a lock manager; there are: %s",
                        LockManagers.property(manager, "*"), known.isEmpty() ? "none" : String.join(", ", known));
            }
        }
    }

    private LockEngine start(String backend, String namespace, String owner, LockRuntimeConfig config,
            @Nullable LockListener listener, @Nullable Tracing tracing) {
        LockBackend made = provider(backend).create(namespace, owner);
        try {
            return start(backend, made, config, listener, tracing);
        } catch (RuntimeException e) {
            try (made) { // a failure of its close must not hide this one
                throw e;
            }
        }
    }

    private LockEngine start(String backend, LockBackend made, LockRuntimeConfig config, @Nullable LockListener listener,
            @Nullable Tracing tracing) {
        if (config.afterLossDelay().isPresent() && !made.features().contains(Feature.AFTER_LOSS_DELAY)) {
            throw new ConfigurationException("quarkus.lock.after-loss-delay: lock backend '" + backend
                    + "' cannot keep a name when its holder is lost: remove the property, or choose another backend with "
                    + "quarkus.lock.backend");
        }
        LockEngineBuilder engine = configured(made, config)
                .threads(new QuarkusCallerThreads(tracing))
                .listener(listener)
                .tracing(tracing)
                .orders(orders)
                .longWaits(longWaits)
                .recording(new FlightRecording(config.jfr().threshold()));
        LockTime time = Arc.container().instance(LockTime.class).get();
        return time == null ? engine.start() : engine.time(time).start(); // only tests provide one
    }

    /** An engine as it is configured for all nodes of the application, without what belongs to this one. */
    public static LockEngineBuilder configured(LockBackend backend, LockRuntimeConfig config) {
        return LockEngine.builder(backend)
                .afterLossDelay(config.afterLossDelay().orElse(null))
                .margin(config.margin().orElse(null))
                .slice(config.slice().orElse(null))
                .fencingFloor(fencingFloor(config));
    }

    private static long fencingFloor(LockRuntimeConfig config) {
        long floor = config.fencingFloor();
        if (floor < 0 || floor > LockEngineBuilder.HIGHEST_FENCING_FLOOR) {
            throw new ConfigurationException("quarkus.lock.fencing-floor=" + floor + " is not between 0 and "
                    + LockEngineBuilder.HIGHEST_FENCING_FLOOR
                    + ": set it to the highest fencing token that has been handed out",
                    Set.of("quarkus.lock.fencing-floor"));
        }
        return floor;
    }

    private static LockBackendProvider provider(String backend) {
        for (LockBackendProvider provider : EveryBean.of(LockBackendProvider.class)) {
            if (provider.name().equals(backend)) {
                return provider;
            }
        }
        throw new IllegalStateException("No LockBackendProvider bean is named '" + backend + "'");
    }

    /** Whether locks are switched off; then there are no engines. */
    public boolean off() {
        return off;
    }

    /** The names of all managers, even while locks are switched off. */
    public Set<String> managers() {
        return Collections.unmodifiableSet(defaults.keySet());
    }

    /** The engine of a manager. */
    public LockEngine engine(String manager) {
        LockEngine engine = byManager.get(manager);
        if (engine == null) {
            throw new IllegalStateException("Lock manager '" + manager
                    + "' was used before the application started: locks can be taken from the start-up event on");
        }
        return engine;
    }

    /** All engines, each once. */
    public Collection<LockEngine> all() {
        return all;
    }

    /** Probes of all stores, for health checks and metrics. */
    public synchronized List<StoreProbe> stores() {
        List<StoreProbe> probes = stores;
        if (probes == null) {
            probes = byBackend.entrySet().stream().map(each -> new StoreProbe(each.getKey(), managers(each.getValue()),
                    each.getValue().backend(), each.getValue().time())).toList();
            stores = probes;
        }
        return probes;
    }

    private List<String> managers(LockEngine engine) {
        return byManager.entrySet().stream().filter(each -> each.getValue() == engine).map(Map.Entry::getKey).toList();
    }

    public ManagerDefaults defaults(String manager) {
        return defaults.get(manager);
    }

    public LockManager manager(String name) {
        return off ? new SwitchedOffLockManager() : engine(name).manager(defaults(name));
    }

    /** Refuses new claims and waits for the holders of all engines within one grace period. */
    void drain(Duration grace) {
        // all refuse claims before the first is waited for
        byBackend.values().forEach(engine -> engine.drain(Duration.ZERO));
        long deadline = System.nanoTime() + HoldSettings.saturated(grace);
        for (LockEngine engine : byBackend.values()) {
            engine.drain(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
        }
    }

    public void close() {
        byBackend.values().forEach(LockEngine::close);
        byBackend.clear();
        all = List.of();
    }
}
