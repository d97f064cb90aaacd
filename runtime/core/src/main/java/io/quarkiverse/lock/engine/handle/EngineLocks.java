package io.quarkiverse.lock.engine.handle;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.acquire.AsyncAcquire;
import io.quarkiverse.lock.engine.acquire.BlockingAcquire;
import io.quarkiverse.lock.engine.acquire.NamesInOrder;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.lease.Features;
import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.reactive.UnfinishedWork;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.ThreadLock;
import io.quarkiverse.lock.engine.thread.ThreadLocks;
import io.quarkiverse.lock.engine.thread.ThreadReadWriteLock;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/** Locks of one name, or of several as one lock; all state is in the names' queues. */
public final class EngineLocks {

    private final Scopes scopes;
    private final BlockingAcquire acquire;
    private final Handles handles;
    private final AsyncAcquire async;
    private final Pipelines pipelines;
    private final Features features;
    private final ThreadLocks threadLocks;
    private final ErrorMessages errors;

    public EngineLocks(Scopes scopes, BlockingAcquire acquire, Handles handles, AsyncAcquire async, Pipelines pipelines,
            Features features, ThreadLocks threadLocks, ErrorMessages errors) {
        this.scopes = scopes;
        this.acquire = acquire;
        this.handles = handles;
        this.async = async;
        this.pipelines = pipelines;
        this.features = features;
        this.threadLocks = threadLocks;
        this.errors = errors;
    }

    public DistributedLock of(String name, HoldSettings settings) {
        return new EngineLock(name, null, settings);
    }

    /** @param names at least two, in canonical order, see {@link NamesInOrder} */
    public DistributedLock of(String[] names, HoldSettings settings) {
        return new EngineLock(String.join(", ", names), names, settings);
    }

    /** A name, or several, with its settings. */
    private class EngineLock implements DistributedLock {

        private final String name;
        /** {@code null} if it is a single name. */
        private final String @Nullable [] names;
        private final HoldSettings settings;

        EngineLock(String name, String @Nullable [] names, HoldSettings settings) {
            this.name = name;
            this.names = names;
            this.settings = settings;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public LockHandle acquire() {
            return handles.of(takeOrFail());
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) {
            Held taken = take(settings.waiting(wait));
            return taken.refusedHold() != null ? Optional.empty() : Optional.of(handles.of(taken));
        }

        Held take(HoldSettings wanted) {
            return take(wanted, null);
        }

        final Held take(HoldSettings wanted, @Nullable LockHold @Nullable [] known) {
            return names == null ? acquire.take(name, wanted, known == null ? null : known[0])
                    : acquire.take(names, wanted, known);
        }

        private Held takeOrFail() {
            Held taken = take(settings);
            LockHold refused = taken.refusedHold();
            if (refused != null) {
                throw errors.busy(refused);
            }
            return taken;
        }

        @Override
        public Uni<LockHandle> acquireAsync() {
            return takeAsync(settings);
        }

        @Override
        public Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
            return new UnlessBusy(takeAsync(settings.waiting(wait)));
        }

        private Uni<LockHandle> takeAsync(HoldSettings wanted) {
            return async.of(names(), wanted, handles::of, Handles::giveBack);
        }

        @Override
        public <T> T call(Callable<T> body) throws Exception {
            return scopes.run(takeOrFail(),
                    UnfinishedWork.refusedFrom(body, name, "use callAsync, or return the result itself"));
        }

        @Override
        public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
            return pipelines.locked(names(), settings, null, (held, pipeline) -> body.get(),
                    UnfinishedWork.refusedAsItem(name));
        }

        @Override
        public JavaLock asJavaLock() {
            return new ThreadLock(new OfThread(name, names, settings), NamesInOrder.key(names()), threadLocks, settings);
        }

        @Override
        public ReadWriteLock asReadWriteLock() {
            features.need(Feature.SHARED, settings.manager(), name, "asReadWriteLock()", "asJavaLock()");
            return ThreadReadWriteLock.of(name, NamesInOrder.key(names()), settings, threadLocks,
                    side -> new OfThread(name, names, side));
        }

        final String[] names() {
            return names == null ? new String[] { name } : names;
        }

        @Override
        public String toString() {
            return "DistributedLock[" + PrintableName.of(name) + "]";
        }
    }

    /** For Java locks: what the current thread has taken through one, among whatever names, it takes again. */
    private final class OfThread extends EngineLock {

        OfThread(String name, String @Nullable [] names, HoldSettings settings) {
            super(name, names, settings);
        }

        @Override
        Held take(HoldSettings wanted) {
            return take(wanted, threadLocks.holdsOf(names()));
        }
    }
}
