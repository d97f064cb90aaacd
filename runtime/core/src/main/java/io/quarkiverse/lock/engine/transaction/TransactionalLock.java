package io.quarkiverse.lock.engine.transaction;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.engine.reactive.UnfinishedWork;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/** A name whose lock lives in the caller's transaction. Blocking only: a transaction belongs to a thread. */
public final class TransactionalLock implements DistributedLock {

    private final TransactionalLocks locks;
    private final String name;
    private final HoldSettings settings;

    public TransactionalLock(TransactionalLocks locks, String name, HoldSettings settings) {
        this.locks = locks;
        this.name = name;
        this.settings = settings;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public LockHandle acquire() {
        LockHold hold = locks.acquire(name, settings);
        if (hold.refused()) {
            throw locks.busy(hold);
        }
        return locks.handle(hold);
    }

    @Override
    public Optional<LockHandle> tryAcquire(Duration wait) {
        LockHold hold = locks.acquire(name, settings.waiting(wait));
        return hold.refused() ? Optional.empty() : Optional.of(locks.handle(hold));
    }

    @Override
    public Uni<LockHandle> acquireAsync() {
        return blockingOnly("acquireAsync()", "acquire()");
    }

    @Override
    public Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
        return blockingOnly("tryAcquireAsync()", "tryAcquire()");
    }

    @Override
    public <T> T call(Callable<T> body) throws Exception {
        return locks.call(name, settings, refused -> {
            throw locks.busy(refused);
        }, UnfinishedWork.refusedFrom(body, name, "return the result itself"));
    }

    @Override
    public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
        return blockingOnly("callAsync()", "call()");
    }

    @Override
    public JavaLock asJavaLock() {
        throw locks.unsupported(name, "asJavaLock() does not work, since the lock ends with its transaction and not with "
                + "unlock(): use call().");
    }

    @Override
    public ReadWriteLock asReadWriteLock() {
        throw locks.unsupported(name, "asReadWriteLock() does not work, since the lock is exclusive, and ends with its "
                + "transaction and not with unlock(): use call().");
    }

    private <T> Uni<T> blockingOnly(String method, String instead) {
        return Uni.createFrom().failure(() -> locks.unsupported(name, method + " does not work, since the lock belongs to the "
                + "transaction of a thread: use " + instead + " on a worker or virtual thread."));
    }

    @Override
    public String toString() {
        return "DistributedLock[" + PrintableName.of(name) + "]";
    }
}
