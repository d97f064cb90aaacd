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

/** A name with its settings; all state is in the engine. */
class EngineLock implements DistributedLock {

    private final LockEngine engine;
    private final String name;
    private final HoldSettings settings;

    EngineLock(LockEngine engine, String name, HoldSettings settings) {
        this.engine = engine;
        this.name = name;
        this.settings = settings;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public LockHandle acquire() {
        Hold enclosing = engine.scopes().enclosing(name, settings);
        if (enclosing != null && enclosing.enter()) {
            return new OpenHandle(enclosing);
        }
        return new OpenHandle(engine.scopes().acquire(name, settings));
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) {
        HoldSettings waiting = waiting(wait);
        Hold enclosing = engine.scopes().enclosing(name, settings);
        if (enclosing != null && enclosing.enter()) {
            return Optional.of(new OpenHandle(enclosing));
        }
        Hold hold = engine.scopes().tryAcquire(name, waiting);
        return hold.refused() ? Optional.empty() : Optional.of(new OpenHandle(hold));
    }

    final HoldSettings waiting(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("wait must not be negative, but is " + wait);
        }
        return settings.withWait(wait);
    }

    @Override
    public Uni<LockHandle> acquireAsync() {
        return HoldUni.of(engine, name, settings, OpenHandle::new, OpenHandle::giveBack);
    }

    @Override
    public Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return new UnlessBusy(HoldUni.of(engine, name, waiting(wait), OpenHandle::new, OpenHandle::giveBack));
    }

    @Override
    public <T> T call(Callable<T> body) throws Exception {
        Hold enclosing = engine.scopes().enclosing(name, settings);
        if (enclosing != null) {
            return engine.scopes().again(enclosing, body);
        }
        return engine.scopes().run(engine.scopes().acquire(name, settings), body);
    }

    @Override
    public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
        return Pipelines.locked(engine, name, settings, (hold, pipeline) -> body.get());
    }

    @Override
    public JavaLock asJavaLock() {
        return new ThreadLock(this, NamesInOrder.key(name), engine.threadLocks(), settings);
    }

    @Override
    public ReadWriteLock asReadWriteLock() {
        engine.need(Feature.SHARED, name, "asReadWriteLock()", "asJavaLock()");
        return ThreadReadWriteLock.of(name, NamesInOrder.key(name), settings, engine.threadLocks(),
                side -> new EngineLock(engine, name, side));
    }

    @Override
    public String toString() {
        return "DistributedLock[" + PrintableName.of(name) + "]";
    }
}
