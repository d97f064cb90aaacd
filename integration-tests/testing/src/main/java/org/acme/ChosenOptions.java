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

    // tag::report[]
    DistributedLock report() {
        return locks.lock("report",
                LockOptions.DEFAULTS.withWaitFor(Duration.ZERO).withLease(Duration.ofMinutes(1)));
    }
    // end::report[]

    // tag::modes[]
    DistributedLock reader() {
        return locks.lock("catalog", LockOptions.DEFAULTS.withMode(LockMode.SHARED));
    }

    DistributedLock oneOfFive() {
        return locks.lock("export", LockOptions.DEFAULTS.withLimit(5));
    }
    // end::modes[]
}
