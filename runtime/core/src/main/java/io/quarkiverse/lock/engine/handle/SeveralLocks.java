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
import io.quarkiverse.lock.engine.acquire.AsyncAcquireAll;
import io.quarkiverse.lock.engine.acquire.BlockingAcquireAll;
import io.quarkiverse.lock.engine.acquire.NamesInOrder;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.lease.Features;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.Holds;
import io.quarkiverse.lock.engine.thread.ThreadLock;
import io.quarkiverse.lock.engine.thread.ThreadLocks;
import io.quarkiverse.lock.engine.thread.ThreadReadWriteLock;
import io.quarkiverse.lock.spi.Feature;
import io.smallrye.mutiny.Uni;

/**
 * Several names as one lock: all are taken, or none, in the same order by everybody, so that nobody waits for somebody who
 * waits for it.
 */
public final class SeveralLocks {

    private final Scopes scopes;
    private final BlockingAcquireAll acquire;
    private final Handles handles;
    private final AsyncAcquireAll unis;
    private final Pipelines pipelines;
    private final Features features;
    private final ThreadLocks threadLocks;
    private final ErrorMessages errors;

    public SeveralLocks(Scopes scopes, BlockingAcquireAll acquire, Handles handles, AsyncAcquireAll unis, Pipelines pipelines,
            Features features,
            ThreadLocks threadLocks, ErrorMessages errors) {
        this.scopes = scopes;
        this.acquire = acquire;
        this.handles = handles;
        this.unis = unis;
        this.pipelines = pipelines;
        this.features = features;
        this.threadLocks = threadLocks;
        this.errors = errors;
    }

    /** @param names in canonical order, see {@link NamesInOrder} */
    public DistributedLock of(String[] names, HoldSettings settings) {
        return new SeveralLock(names, settings);
    }

    private final class SeveralLock implements DistributedLock {

        private final String[] names;
        private final String name;
        private final HoldSettings settings;

        /** @param names in canonical order, see {@link NamesInOrder} */
        SeveralLock(String[] names, HoldSettings settings) {
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
                throw errors.busy(holds.refused());
            }
            return handles.of(holds);
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) {
            Holds holds = take(settings.waiting(wait));
            return holds.refused() != null ? Optional.empty() : Optional.of(handles.of(holds));
        }

        private Holds take(HoldSettings asked) {
            return acquire.take(names, asked, null);
        }

        @Override
        public Uni<LockHandle> acquireAsync() {
            return unis.of(names, settings, handles::of, Handles::giveBack);
        }

        @Override
        public Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
            return new UnlessBusy(
                    unis.of(names, settings.waiting(wait), handles::of, Handles::giveBack));
        }

        @Override
        public <T> T call(Callable<T> body) throws Exception {
            Holds holds = take(settings);
            if (holds.refused() != null) {
                throw errors.busy(holds.refused());
            }
            return scopes.run(holds, 0, body);
        }

        @Override
        public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
            return pipelines.locked(names, settings, null, (holds, pipeline) -> body.get());
        }

        @Override
        public JavaLock asJavaLock() {
            return new ThreadLock(this, NamesInOrder.key(names), threadLocks, settings);
        }

        @Override
        public ReadWriteLock asReadWriteLock() {
            features.need(Feature.SHARED, name, "asReadWriteLock()", "asJavaLock()");
            return ThreadReadWriteLock.of(name, NamesInOrder.key(names), settings, threadLocks,
                    side -> new SeveralLock(names, side));
        }

        @Override
        public String toString() {
            return "DistributedLock[" + PrintableName.of(name) + "]";
        }
    }
}
