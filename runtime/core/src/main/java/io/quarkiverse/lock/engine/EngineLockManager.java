package io.quarkiverse.lock.engine;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Feature;
import io.smallrye.mutiny.Uni;

/** A manager is an engine with defaults. */
final class EngineLockManager implements LockManager {

    private final LockEngine engine;
    private final ManagerDefaults defaults;
    private final HoldSettings asConfigured;
    private final Set<Feature> features;
    /** Many locks in a row are taken with the same options. */
    private volatile @Nullable Known last;

    EngineLockManager(LockEngine engine, ManagerDefaults defaults) {
        this.engine = engine;
        this.defaults = defaults;
        this.features = engine.backend().features();
        this.asConfigured = HoldSettings.of(defaults, LockOptions.DEFAULTS);
    }

    @Override
    public DistributedLock lock(String name, LockOptions options) {
        LockNameRule.check(name);
        HoldSettings settings = options == LockOptions.DEFAULTS ? asConfigured : settings(options);
        TransactionalLocks transactional = engine.transactional();
        if (transactional != null) {
            refuseOptions(transactional, name, options);
            return new TransactionalLock(engine, transactional, name, settings);
        }
        return new EngineLock(engine, name, settings);
    }

    private static void refuseOptions(TransactionalLocks locks, String name, LockOptions options) {
        String option = options.lease() != null ? "lease"
                : options.renew() != null ? "renew" : options.maxHold() != null ? "maxHold" : null;
        if (option != null) {
            throw locks.noOption(name, option);
        }
    }

    private HoldSettings settings(LockOptions options) {
        Known known = last;
        if (known == null || known.options != options) {
            if (options.mode() == LockMode.SHARED && !features.contains(Feature.SHARED)) {
                throw unsupported("LockMode.SHARED");
            }
            if (options.limit() > 0 && !features.contains(Feature.LIMIT)) {
                throw unsupported("a limit");
            }
            known = new Known(options, HoldSettings.of(defaults, options));
            last = known;
        }
        return known.settings;
    }

    private IllegalArgumentException unsupported(String what) {
        return new IllegalArgumentException("Lock backend '" + engine.backend().name() + "' does not know " + what
                + ": lock exclusively, or choose another backend with "
                + (defaults.name().equals(ManagerDefaults.STANDARD.name()) ? "quarkus.lock.backend"
                        : "quarkus.lock.managers." + defaults.name() + ".backend"));
    }

    private record Known(LockOptions options, HoldSettings settings) {
    }

    @Override
    public Optional<LockInfo> inspect(String name) {
        return await("inspect", name, inspectAsync(name));
    }

    @Override
    public Uni<Optional<LockInfo>> inspectAsync(String name) {
        LockNameRule.check(name);
        return engine.backend().inspect(name);
    }

    @Override
    public boolean forceRelease(String name) {
        return await("forceRelease", name, forceReleaseAsync(name));
    }

    @Override
    public Uni<Boolean> forceReleaseAsync(String name) {
        LockNameRule.check(name);
        // Whoever holds it here need not wait for the news from the backend
        return engine.backend().forceRelease(name).onItem().invoke(() -> engine.recheck(name));
    }

    @Override
    public List<HeldLock> held() {
        return engine.held();
    }

    private <T> T await(String what, String name, Uni<T> answer) {
        if (engine.threads().blockingForbidden()) {
            throw engine.threads().blockingRefused(what + "('" + name + "') blocks: use " + what + "Async on an event loop");
        }
        return BlockingAnswer.of(answer, name, engine);
    }
}
