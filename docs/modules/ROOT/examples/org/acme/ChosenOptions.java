package org.acme;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;

@ApplicationScoped
public class ChosenOptions {

    @Inject
    LockManager locks;

    DistributedLock report() {
        return locks.lock("report",
                LockOptions.DEFAULTS.withWaitFor(Duration.ZERO).withLease(Duration.ofMinutes(1))); // <1>
    }

    DistributedLock reader() {
        return locks.lock("catalog", LockOptions.DEFAULTS.withMode(LockMode.SHARED)); // <2>
    }

    DistributedLock oneOfFive() {
        return locks.lock("export", LockOptions.DEFAULTS.withLimit(5)); // <3>
    }
}
