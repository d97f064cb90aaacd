package io.quarkiverse.lock.sale;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.RedisServer;

/** Restarts stopped servers, once all sentinels know another master: nobody may take an empty one for the master. */
final class Revival implements AutoCloseable {

    private static final long PERIOD_MILLIS = 500;

    private final RedisSentinel redis;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "revival");
        thread.setDaemon(true);
        return thread;
    });

    Revival(RedisSentinel redis) {
        this.redis = redis;
        watch.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            for (RedisServer server : redis.servers()) {
                if (!server.isRunning() && redis.master() != server) {
                    server.restart();
                }
            }
        } catch (RuntimeException e) {
            // No answer at the moment; try again
        }
    }

    @Override
    public void close() throws InterruptedException {
        watch.shutdownNow();
        watch.awaitTermination(1, TimeUnit.MINUTES);
    }
}
