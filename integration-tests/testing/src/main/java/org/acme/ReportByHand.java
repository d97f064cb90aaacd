package org.acme;

import java.time.Duration;
import java.util.Optional;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;

@ApplicationScoped
public class ReportByHand {

    @Inject
    LockManager locks;

    public void write(Runnable body) {
        LockOptions options = LockOptions.DEFAULTS.withHoldAtLeast(Duration.ofSeconds(30));
        Optional<LockHandle> maybe = locks.lock("nightly-report", options).tryAcquire(Duration.ZERO);
        if (maybe.isPresent()) {
            try (LockHandle hold = maybe.get()) {
                body.run();
            }
        }
    }
}
