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
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.acquire.BlockingAnswers;
import io.quarkiverse.lock.engine.acquire.LedBack;
import io.quarkiverse.lock.engine.acquire.LockNameRule;
import io.quarkiverse.lock.engine.acquire.NamesInOrder;
import io.quarkiverse.lock.engine.handle.EngineLocks;
import io.quarkiverse.lock.engine.lease.HeldLocks;
import io.quarkiverse.lock.engine.lease.IdleGrants;
import io.quarkiverse.lock.engine.queue.Lingering;
import io.quarkiverse.lock.engine.queue.Renewals;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.ManagerProperty;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.engine.transaction.TransactionalLock;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.support.ListedNames;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/** A manager: the locks of an engine, with defaults. */
final class EngineLockManager implements LockManager {

    private final LockBackend backend;
    private final CallerThreads threads;
    private final EngineLocks locks;
    private final @Nullable TransactionalLocks transactional;
    private final HeldLocks held;
    private final Renewals renewals;
    private final Lingering lingering;
    private final IdleGrants idle;
    private final BlockingAnswers answers;
    private final ManagerDefaults defaults;
    private final HoldSettings asConfigured;
    private final Set<Feature> features;
    /** The last options and their settings, since consecutive locks often have the same options. */
    private volatile @Nullable Known last;

    /** @param transactional {@code null} if the backend's locks do not live in transactions */
    EngineLockManager(LockBackend backend, CallerThreads threads, EngineLocks locks, @Nullable TransactionalLocks transactional,
            HeldLocks held, Renewals renewals, Lingering lingering, IdleGrants idle,
            BlockingAnswers answers, ManagerDefaults defaults) {
        this.backend = backend;
        this.threads = threads;
        this.locks = locks;
        this.transactional = transactional;
        this.held = held;
        this.renewals = renewals;
        this.lingering = lingering;
        this.idle = idle;
        this.answers = answers;
        this.defaults = defaults;
        this.features = backend.features();
        this.asConfigured = defaults.with(LockOptions.DEFAULTS);
    }

    @Override
    public DistributedLock lock(String name, LockOptions options) {
        LockNameRule.check(name);
        HoldSettings settings = options == LockOptions.DEFAULTS ? asConfigured : settings(options);
        if (transactional != null) {
            refuseOptions(transactional, name, options);
            return new TransactionalLock(transactional, name, settings);
        }
        return locks.of(name, settings);
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
        if (transactional != null && inOrder.length > 1) {
            throw transactional.unsupported(String.join(", ", inOrder), "all() does not work, since the locks belong to a "
                    + "transaction: take them one inside the other, sorted by name, or use @Locked with several names.");
        }
        return inOrder.length == 1 ? lock(inOrder[0], options)
                : locks.of(inOrder, options == LockOptions.DEFAULTS ? asConfigured : settings(options));
    }

    private HoldSettings settings(LockOptions options) {
        Known known = last;
        if (known == null || known.options != options) {
            refuseUnsupported(options);
            known = new Known(options, defaults.with(options));
            last = known;
        }
        if (options.lease() != null && !known.settings.renew()) {
            backend.checkUnrenewed(options.lease()); // each time: it may depend on the connection
        }
        return known.settings;
    }

    private void refuseUnsupported(LockOptions options) {
        if (options.mode() == LockMode.SHARED && !features.contains(Feature.SHARED)) {
            throw unsupported("does not support LockMode.SHARED: lock exclusively");
        }
        if (options.limit() > 0 && !features.contains(Feature.LIMIT)) {
            throw unsupported("does not support a limit: lock exclusively");
        }
        if (options.holdAtLeast() != null && !options.holdAtLeast().isZero() && !features.contains(Feature.HOLD_AT_LEAST)) {
            throw unsupported("cannot keep a name after its release: remove holdAtLeast");
        }
    }

    private IllegalArgumentException unsupported(String what) {
        return new IllegalArgumentException("Lock backend '" + backend.name() + "' " + what
                + ", or choose another backend with " + ManagerProperty.of(defaults.name(), "backend"));
    }

    private record Known(LockOptions options, HoldSettings settings) {
    }

    @Override
    public Optional<LockInfo> inspect(String name) {
        return await("inspect", name, inspected(name));
    }

    @Override
    public Uni<Optional<LockInfo>> inspectAsync(String name) {
        return new LedBack<>(threads, inspected(name));
    }

    private Uni<Optional<LockInfo>> inspected(String name) {
        LockNameRule.check(name);
        return backend.inspect(name).map(known -> known.map(idle::shown));
    }

    @Override
    public LockQuery.Page list(LockQuery query) {
        return await("list", ListedNames.of(query), listed(query));
    }

    @Override
    public Uni<LockQuery.Page> listAsync(LockQuery query) {
        return new LedBack<>(threads, listed(query));
    }

    private Uni<LockQuery.Page> listed(LockQuery query) {
        return backend.list(query).map(idle::shown);
    }

    @Override
    public boolean forceRelease(String name) {
        return await("forceRelease", name, forced(name));
    }

    @Override
    public Uni<Boolean> forceReleaseAsync(String name) {
        return new LedBack<>(threads, forced(name));
    }

    private Uni<Boolean> forced(String name) {
        LockNameRule.check(name);
        // A holder in this JVM need not wait for the backend's news
        return backend.forceRelease(name).onItem().invoke(() -> renewals.recheck(name));
    }

    @Override
    public boolean requestRelease(String name) {
        return await("requestRelease", name, requested(name));
    }

    @Override
    public Uni<Boolean> requestReleaseAsync(String name) {
        return new LedBack<>(threads, requested(name));
    }

    private Uni<Boolean> requested(String name) {
        LockNameRule.check(name);
        // This JVM need not wait for the backend's news, neither a holder nor a grant that nobody holds and nothing renews
        return backend.requestRelease(name).onItem().invoke(() -> {
            renewals.renewNow(name);
            lingering.end(name);
        });
    }

    @Override
    public List<HeldLock> held() {
        return held.list();
    }

    private <T> T await(String what, String name, Uni<T> answer) {
        if (threads.blockingForbidden()) {
            throw threads.blockingRefused(
                    what + "('" + PrintableName.of(name) + "') blocks: use " + what + "Async on an event loop");
        }
        return answers.await(answer, name);
    }
}
