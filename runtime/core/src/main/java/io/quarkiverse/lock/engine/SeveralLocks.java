package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.spi.Feature;
import io.smallrye.mutiny.Uni;

/**
 * Several names as one lock: taken one after the other, in the same order by everybody, so that nobody waits for somebody who
 * waits for it. If one of them is lost while the others are waited for, all are given back and it begins anew.
 */
final class SeveralLocks implements DistributedLock {

    private final LockEngine engine;
    private final String[] names;
    private final String name;
    private final HoldSettings settings;

    /** @param names in canonical order, see {@link NamesInOrder} */
    SeveralLocks(LockEngine engine, String[] names, HoldSettings settings) {
        this.engine = engine;
        this.names = names;
        this.name = String.join(", ", names);
        this.settings = settings;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public LockHandle acquire() {
        Holds holds = take(settings);
        if (holds.refused() != null) {
            throw engine.busy(holds.refused());
        }
        return new SeveralHandles(holds);
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) {
        Holds holds = take(waiting(wait));
        return holds.refused() != null ? Optional.empty() : Optional.of(new SeveralHandles(holds));
    }

    private HoldSettings waiting(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("wait must not be negative, but is " + wait);
        }
        return settings.withWait(wait);
    }

    /** All of them, or none and the one that was refused. */
    private Holds take(HoldSettings asked) {
        Patience patience = new Patience(engine, asked);
        for (;;) {
            Holds holds = new Holds(names.length);
            boolean taken = false;
            try {
                takeInto(holds, patience, asked);
                taken = holds.allValid();
                if (taken || holds.refused() != null) {
                    return holds;
                }
                if (patience.over()) {
                    throw holds.loss();
                }
            } finally {
                if (!taken) {
                    holds.leave();
                }
            }
        }
    }

    private void takeInto(Holds holds, Patience patience, HoldSettings asked) {
        for (String each : names) {
            Hold enclosing = engine.scopes().enclosing(each, asked);
            Hold hold = enclosing != null && enclosing.enter() ? enclosing
                    : engine.scopes().tryAcquire(each, patience.left());
            holds.add(hold);
            if (hold.refused()) {
                return;
            }
        }
    }

    @Override
    public Uni<LockHandle> acquireAsync() {
        return new SeveralHoldsUni(engine, names, settings).map(SeveralHandles::new);
    }

    @Override
    public Uni<LockHandle> tryAcquireAsync(Duration wait) {
        return new SeveralHoldsUni(engine, names, waiting(wait)).map(SeveralHandles::new);
    }

    @Override
    public <T> T call(Callable<T> body) throws Exception {
        Patience patience = new Patience(engine, settings);
        for (;;) {
            Holds holds = new Holds(names.length);
            try {
                return callInside(holds, patience, body);
            } catch (LockLostException e) {
                if (holds.bodyBegun() || patience.over()) {
                    throw e;
                }
            }
        }
    }

    private <T> T callInside(Holds holds, Patience patience, Callable<T> body) throws Exception {
        if (holds.size() == names.length) {
            holds.beginBody();
            return body.call();
        }
        String next = names[holds.size()];
        Hold enclosing = engine.scopes().enclosing(next, settings);
        if (enclosing != null) {
            holds.add(enclosing);
            return callInside(holds, patience, body);
        }
        Hold hold = engine.scopes().acquire(next, patience.left());
        holds.add(hold);
        return engine.scopes().run(hold, () -> callInside(holds, patience, body));
    }

    @Override
    public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
        return Uni.createFrom().deferred(() -> {
            Patience patience = new Patience(engine, settings);
            Holds[] last = new Holds[1];
            return Uni.createFrom().<T> deferred(() -> {
                last[0] = new Holds(names.length);
                return callInsideAsync(last[0], patience, body);
            }).onFailure(failure -> failure instanceof LockLostException && !last[0].bodyBegun() && !patience.over())
                    .retry().indefinitely();
        });
    }

    private <T> Uni<T> callInsideAsync(Holds holds, Patience patience, Supplier<Uni<T>> body) {
        if (holds.size() == names.length) {
            holds.beginBody();
            return body.get();
        }
        return Pipelines.locked(engine, names[holds.size()], patience.left(), (hold, pipeline) -> {
            holds.add(hold);
            return callInsideAsync(holds, patience, body);
        });
    }

    @Override
    public Lock asJavaLock() {
        return new ThreadLock(this, NamesInOrder.key(names), engine.threadLocks(), settings);
    }

    @Override
    public ReadWriteLock asReadWriteLock() {
        engine.need(Feature.SHARED, name, "asReadWriteLock()", "asJavaLock()");
        return ThreadReadWriteLock.of(name, NamesInOrder.key(names), settings, engine.threadLocks(),
                side -> new SeveralLocks(engine, names, side));
    }

    @Override
    public String toString() {
        return "DistributedLock[" + name + "]";
    }
}
