package io.quarkiverse.lock.engine.handle;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.engine.acquire.AsyncAcquire;
import io.quarkiverse.lock.engine.acquire.BlockingAcquire;
import io.quarkiverse.lock.engine.acquire.NamesInOrder;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.lease.Features;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.ThreadLock;
import io.quarkiverse.lock.engine.thread.ThreadLocks;
import io.quarkiverse.lock.engine.thread.ThreadReadWriteLock;
import io.quarkiverse.lock.spi.Feature;
import io.smallrye.mutiny.Uni;

/** Locks of one name; all state is in the name's queue. */
public final class SingleLocks {

    private final Scopes scopes;
    private final BlockingAcquire acquire;
    private final Handles handles;
    private final AsyncAcquire unis;
    private final Pipelines pipelines;
    private final Features features;
    private final ThreadLocks threadLocks;

    public SingleLocks(Scopes scopes, BlockingAcquire acquire, Handles handles, AsyncAcquire unis, Pipelines pipelines,
            Features features, ThreadLocks threadLocks) {
        this.scopes = scopes;
        this.acquire = acquire;
        this.handles = handles;
        this.unis = unis;
        this.pipelines = pipelines;
        this.features = features;
        this.threadLocks = threadLocks;
    }

    public DistributedLock of(String name, HoldSettings settings) {
        return new SingleLock(name, settings);
    }

    /** A name with its settings. */
    private final class SingleLock implements DistributedLock {

        private final String name;
        private final HoldSettings settings;

        SingleLock(String name, HoldSettings settings) {
            this.name = name;
            this.settings = settings;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public LockHandle acquire() {
            LockHold enclosing = scopes.enclosing(name, settings);
            if (enclosing != null && enclosing.enter()) {
                return handles.of(enclosing);
            }
            return handles.of(acquire.acquire(name, settings));
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) {
            HoldSettings waiting = settings.waiting(wait);
            LockHold enclosing = scopes.enclosing(name, settings);
            if (enclosing != null && enclosing.enter()) {
                return Optional.of(handles.of(enclosing));
            }
            LockHold hold = acquire.tryAcquire(name, waiting);
            return hold.refused() ? Optional.empty() : Optional.of(handles.of(hold));
        }

        @Override
        public Uni<LockHandle> acquireAsync() {
            return unis.of(name, settings, handles::of, Handles::giveBack);
        }

        @Override
        public Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
            return new UnlessBusy(unis.of(name, settings.waiting(wait), handles::of, Handles::giveBack));
        }

        @Override
        public <T> T call(Callable<T> body) throws Exception {
            LockHold enclosing = scopes.enclosing(name, settings);
            if (enclosing != null) {
                return scopes.again(enclosing, body);
            }
            return scopes.run(acquire.acquire(name, settings), body);
        }

        @Override
        public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
            return pipelines.locked(name, settings, (hold, pipeline) -> body.get());
        }

        @Override
        public JavaLock asJavaLock() {
            return new ThreadLock(this, NamesInOrder.key(name), threadLocks, settings);
        }

        @Override
        public ReadWriteLock asReadWriteLock() {
            features.need(Feature.SHARED, name, "asReadWriteLock()", "asJavaLock()");
            return ThreadReadWriteLock.of(name, NamesInOrder.key(name), settings, threadLocks,
                    side -> new SingleLock(name, side));
        }

        @Override
        public String toString() {
            return "DistributedLock[" + PrintableName.of(name) + "]";
        }
    }
}
