package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.spi.Feature;
import io.smallrye.mutiny.Uni;

/**
 * Several names as one lock: all are taken, or none, in the same order by everybody, so that nobody waits for somebody who
 * waits for it.
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

    private Holds take(HoldSettings asked) {
        return AllOrNone.take(engine, names, asked, null);
    }

    @Override
    public Uni<LockHandle> acquireAsync() {
        return SeveralHoldsUni.of(engine, names, settings, SeveralHandles::new, SeveralHandles::giveBack);
    }

    @Override
    public Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return new UnlessBusy(
                SeveralHoldsUni.of(engine, names, waiting(wait), SeveralHandles::new, SeveralHandles::giveBack));
    }

    @Override
    public <T> T call(Callable<T> body) throws Exception {
        Holds holds = take(settings);
        if (holds.refused() != null) {
            throw engine.busy(holds.refused());
        }
        return engine.scopes().run(holds, 0, body);
    }

    @Override
    public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
        return Pipelines.locked(engine, names, settings, null, false, (holds, pipeline) -> body.get());
    }

    @Override
    public JavaLock asJavaLock() {
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
        return "DistributedLock[" + PrintableName.of(name) + "]";
    }
}
