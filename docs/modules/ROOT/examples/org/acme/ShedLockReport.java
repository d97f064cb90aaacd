package org.acme;

import java.time.Duration;
import java.time.Instant;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;

public class ShedLockReport {

    private final LockingTaskExecutor executor;

    public ShedLockReport(LockingTaskExecutor executor) {
        this.executor = executor;
    }

    public void write(Runnable body) {
        executor.executeWithLock(body, new LockConfiguration(Instant.now(), "nightly-report",
                Duration.ofHours(2), Duration.ofSeconds(30)));
    }
}
