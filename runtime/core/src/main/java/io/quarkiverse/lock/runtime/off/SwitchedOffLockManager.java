package io.quarkiverse.lock.runtime.off;

import java.util.List;
import java.util.Optional;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.acquire.LockNameRule;
import io.quarkiverse.lock.engine.acquire.NamesInOrder;
import io.quarkiverse.lock.engine.thread.ThreadLocks;
import io.smallrye.mutiny.Uni;

/** With {@code quarkus.lock.enabled=false}: everybody gets every lock, and nobody holds any. */
public final class SwitchedOffLockManager implements LockManager {

    private final ThreadLocks threadLocks = new ThreadLocks();

    @Override
    public DistributedLock lock(String name, LockOptions options) {
        return new SwitchedOffLock(threadLocks, LockNameRule.check(name));
    }

    @Override
    public DistributedLock all(LockOptions options, String... names) {
        return new SwitchedOffLock(threadLocks, NamesInOrder.of(names));
    }

    @Override
    public Optional<LockInfo> inspect(String name) {
        LockNameRule.check(name);
        return Optional.empty();
    }

    @Override
    public Uni<Optional<LockInfo>> inspectAsync(String name) {
        LockNameRule.check(name);
        return Uni.createFrom().item(Optional.empty());
    }

    @Override
    public LockQuery.Page list(LockQuery query) {
        return new LockQuery.Page(List.of(), Optional.empty());
    }

    @Override
    public Uni<LockQuery.Page> listAsync(LockQuery query) {
        return Uni.createFrom().item(() -> list(query));
    }

    @Override
    public boolean forceRelease(String name) {
        LockNameRule.check(name);
        return false;
    }

    @Override
    public Uni<Boolean> forceReleaseAsync(String name) {
        LockNameRule.check(name);
        return Uni.createFrom().item(false);
    }

    @Override
    public boolean requestRelease(String name) {
        LockNameRule.check(name);
        return false;
    }

    @Override
    public Uni<Boolean> requestReleaseAsync(String name) {
        LockNameRule.check(name);
        return Uni.createFrom().item(false);
    }

    @Override
    public List<HeldLock> held() {
        return List.of();
    }
}
