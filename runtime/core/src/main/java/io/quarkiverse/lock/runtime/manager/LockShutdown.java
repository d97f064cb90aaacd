package io.quarkiverse.lock.runtime.manager;

import java.time.Duration;

import io.quarkus.runtime.shutdown.ShutdownConfig;
import io.quarkus.runtime.shutdown.ShutdownListener;

/**
 * Asks the holders to finish when the application is told to stop. From then on nobody gets a lock, and the stop continues once
 * all locks are given back or {@code quarkus.shutdown.timeout} is over.
 */
public final class LockShutdown implements ShutdownListener {

    private final LockEngines engines;
    private final ShutdownConfig config;

    public LockShutdown(LockEngines engines, ShutdownConfig config) {
        this.engines = engines;
        this.config = config;
    }

    @Override
    public void shutdown(ShutdownNotification notification) {
        if (!config.isTimeoutEnabled()) {
            // Quarkus would not wait for us
            engines.drain(Duration.ZERO);
            notification.done();
            return;
        }
        Duration grace = config.timeout().orElse(Duration.ZERO);
        Thread waiter = new Thread(() -> {
            try {
                engines.drain(grace);
            } finally {
                notification.done();
            }
        }, "quarkus-lock-shutdown");
        waiter.setDaemon(true);
        waiter.start();
    }
}
