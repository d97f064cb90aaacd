package io.quarkiverse.lock.dev;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkus.runtime.ShutdownEvent;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** Holds names for some time, so that a developer sees how the application behaves when they are busy. */
@Singleton
public class Trouble {

    private final Set<LockHandle> occupied = ConcurrentHashMap.newKeySet();

    /** @return whether the name was free, and so is now busy */
    boolean occupy(LockManager locks, String name, Duration time) {
        // The manager's defaults may end a hold sooner
        LockOptions options = LockOptions.DEFAULTS.withRenew(true).withMaxHold(time.plusMinutes(1));
        Optional<LockHandle> taken = locks.lock(name, options).tryAcquire(Duration.ZERO);
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

    /** Not when this bean is destroyed: by then the engines are closed, and the names would stay busy after a live reload. */
    void end(@Observes ShutdownEvent event) {
        occupied.forEach(this::free);
    }
}
