package io.quarkiverse.lock.it.redis;

import static io.quarkiverse.lock.Locked.OnBusy.SKIP;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.quarkiverse.lock.Locked;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.redis.datasource.list.ListCommands;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.ScheduledExecution;

/** What is scheduled on every node records when it was due, and where it ran. */
@ApplicationScoped
class Reports {

    private final ListCommands<String, String> runs;
    private final String node;

    Reports(RedisDataSource redis, @ConfigProperty(name = "quarkus.lock.owner") String node) {
        this.runs = redis.list(String.class);
        this.node = node;
    }

    @Scheduled(cron = "${it.reports.cron:off}")
    @Locked(value = "report", waitFor = "0", onBusy = SKIP, holdAtLeast = "4s")
    void onOneNode(ScheduledExecution execution) {
        write("one", execution);
    }

    /** What happens without the lock. */
    @Scheduled(cron = "${it.reports.cron:off}")
    void onAllNodes(ScheduledExecution execution) {
        write("all", execution);
    }

    private void write(String kind, ScheduledExecution execution) {
        runs.rpush(key(kind), execution.getScheduledFireTime() + " " + node);
    }

    List<String> runs(String kind) {
        return runs.lrange(key(kind), 0, -1);
    }

    private static String key(String kind) {
        return "reports:" + kind;
    }
}
