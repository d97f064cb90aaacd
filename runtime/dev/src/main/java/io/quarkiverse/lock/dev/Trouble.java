package io.quarkiverse.lock.dev;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** Holds names for some time, so that a developer sees what the application does when they are busy. */
@Singleton
public class Trouble {

    private final Set<LockHandle> occupied = ConcurrentHashMap.newKeySet();

    /** @return whether the name was free, and so is busy from now on */
    boolean occupy(LockManager locks, String name, Duration time) {
        Optional<LockHandle> taken = locks.lock(name).tryAcquire(Duration.ZERO);
        taken.ifPresent(handle -> {
            occupied.add(handle);
            Infrastructure.getDefaultWorkerPool().schedule(() -> free(handle), time.toMillis(), TimeUnit.MILLISECONDS);
        });
        return taken.isPresent();
    }

    private void free(LockHandle handle) {
        if (occupied.remove(handle)) {
            handle.close();
        }
    }

    @PreDestroy
    void end() {
        occupied.forEach(this::free);
    }
}
