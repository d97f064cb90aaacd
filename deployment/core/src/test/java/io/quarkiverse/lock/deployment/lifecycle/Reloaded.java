package io.quarkiverse.lock.deployment.lifecycle;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.runtime.StartupEvent;

/** Keeps a lock and waits for it in vain, so that renewals and waits are under way when the application is reloaded. */
@ApplicationScoped
public class Reloaded {

    static final String VERSION = "version 0";

    @Inject
    LockManager locks;

    void onStart(@Observes StartupEvent event) {
        LockHandle kept = locks.lock("kept").acquire();
        locks.lock("kept").tryAcquireAsync(Duration.ofMinutes(1)).subscribe().with(ignored -> {
        }, ignored -> {
        });
        System.setProperty(Reloaded.class.getName(), VERSION);
    }
}
