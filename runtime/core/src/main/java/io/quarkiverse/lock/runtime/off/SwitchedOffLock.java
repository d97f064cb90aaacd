package io.quarkiverse.lock.runtime.off;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.acquire.NamesInOrder;
import io.quarkiverse.lock.engine.thread.ThreadLock;
import io.quarkiverse.lock.engine.thread.ThreadLocks;
import io.quarkiverse.lock.engine.thread.ThreadReadWriteLock;
import io.smallrye.mutiny.Uni;

/** A lock that locks nothing. */
final class SwitchedOffLock implements DistributedLock {

    private final String name;
    private final Object key;
    private final ThreadLocks owned;

    /** @param names in order */
    SwitchedOffLock(ThreadLocks owned, String... names) {
        this.name = String.join(", ", names);
        this.key = NamesInOrder.key(names);
        this.owned = owned;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public LockHandle acquire() {
        return new SwitchedOffHandle(name);
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) {
        return Optional.of(acquire());
    }

    @Override
    public Uni<LockHandle> acquireAsync() {
        return Uni.createFrom().item(this::acquire);
    }

    @Override
    public Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return Uni.createFrom().item(() -> tryAcquire(wait));
    }

    @Override
    public <T> T call(Callable<T> body) throws Exception {
        return body.call();
    }

    @Override
    public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
        return Uni.createFrom().deferred(body::get);
    }

    @Override
    public JavaLock asJavaLock() {
        return new ThreadLock(this, key, owned, null);
    }

    @Override
    public ReadWriteLock asReadWriteLock() {
        return new ThreadReadWriteLock(this, key, owned);
    }
}
