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
import io.quarkiverse.lock.PrintableName;
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

    @Override
    public DistributedLock all(LockOptions options, String... names) {
        String[] inOrder = NamesInOrder.of(names);
        TransactionalLocks transactional = engine.transactional();
        if (transactional != null && inOrder.length > 1) {
            throw transactional.unsupported(String.join(", ", inOrder), "all() does not work, since the locks belong to a "
                    + "transaction: take them one inside the other, sorted by name, or use @Locked with several names.");
        }
        return inOrder.length == 1 ? lock(inOrder[0], options)
                : new SeveralLocks(engine, inOrder, options == LockOptions.DEFAULTS ? asConfigured : settings(options));
    }

    private HoldSettings settings(LockOptions options) {
        Known known = last;
        if (known == null || known.options != options) {
            refuseUnsupported(options);
            known = new Known(options, HoldSettings.of(defaults, options));
            last = known;
        }
        return known.settings;
    }

    private void refuseUnsupported(LockOptions options) {
        if (options.mode() == LockMode.SHARED && !features.contains(Feature.SHARED)) {
            throw unsupported("does not know LockMode.SHARED: lock exclusively");
        }
        if (options.limit() > 0 && !features.contains(Feature.LIMIT)) {
            throw unsupported("does not know a limit: lock exclusively");
        }
        if (options.holdAtLeast() != null && !features.contains(Feature.HOLD_AT_LEAST)) {
            throw unsupported("cannot keep a name after its release: do without holdAtLeast");
        }
    }

    private IllegalArgumentException unsupported(String what) {
        return new IllegalArgumentException("Lock backend '" + engine.backend().name() + "' " + what
                + ", or choose another backend with "
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
        return engine.backend().inspect(name).map(known -> known.map(engine.fencing()::above));
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
    public boolean requestRelease(String name) {
        return await("requestRelease", name, requestReleaseAsync(name));
    }

    @Override
    public Uni<Boolean> requestReleaseAsync(String name) {
        LockNameRule.check(name);
        // Whoever holds it here need not wait for the news from the backend
        return engine.backend().requestRelease(name).onItem().invoke(() -> engine.renewNow(name));
    }

    @Override
    public List<HeldLock> held() {
        return engine.held();
    }

    private <T> T await(String what, String name, Uni<T> answer) {
        if (engine.threads().blockingForbidden()) {
            throw engine.threads().blockingRefused(
                    what + "('" + PrintableName.of(name) + "') blocks: use " + what + "Async on an event loop");
        }
        return BlockingAnswer.of(answer, name, engine);
    }
}
