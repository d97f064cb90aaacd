package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.post;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;

@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
class HealthTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    RedisServer redis;
    ZooKeeperServer zooKeeper;
    DatabaseResource.Database database;

    @Test
    void readyWhileAllStoresAnswer() {
        assertThat(data(onceItIs("UP"))).containsEntry("redis", "UP").containsEntry("redis.managers", "<default>")
                .containsEntry("local", "UP").containsEntry("local.managers", "here")
                .containsEntry("zookeeper", "UP").containsEntry("zookeeper.managers", "nodes")
                .containsEntry("jpa", "UP").containsEntry("jpa.managers", "rows")
                .doesNotContainKeys("redis.failure", "redis.since");
    }

    @Test
    void notReadyWhileRedisIsGone() {
        notReadyWithout("redis", redis::stop, redis::restart, "quarkus.redis.hosts");
    }

    @Test
    void notReadyWhileZooKeeperIsGone() {
        notReadyWithout("zookeeper", zooKeeper::stop, zooKeeper::restart, "quarkus.lock.zookeeper.connect-string");
    }

    @Test
    void notReadyWhileTheDatabaseIsGone() {
        notReadyWithout("jpa", database::stop, database::start, "quarkus.datasource");
    }

    private static void notReadyWithout(String backend, Runnable stop, Runnable restart, String property) {
        onceItIs("UP");
        stop.run();
        try {
            Await.until("it is missed", SOON, () -> "DOWN".equals(data(onceItIs("DOWN")).get(backend)));
            Map<String, Object> data = data(locks());
            assertThat(data).containsEntry(backend, "DOWN").containsEntry("local", "UP");
            assertThat((String) data.get(backend + ".failure")).contains(property);
            String since = (String) data.get(backend + ".since");
            assertThat(Instant.parse(since)).isBefore(Instant.now().plusSeconds(1));
            assertThat(data(locks())).containsEntry(backend + ".since", since);
            Await.until("the meter says so, too", SOON,
                    () -> Meters.read().sum("quarkus_lock_connected", "backend=\"" + backend + "\"") == 0);
        } finally {
            restart.run();
        }
        onceItIs("UP");
    }

    @Test
    void lossDoesNotAffectReadiness() {
        Meters before = Meters.read();
        post("jobs/begin/99").then().statusCode(204);
        post("jobs/take-away/long-99").then().statusCode(204);
        Await.until("the lock is lost", SOON, () -> Meters.read().sum("quarkus_lock_lost_total", "template=\"long-{id}\"")
                - before.sum("quarkus_lock_lost_total", "template=\"long-{id}\"") == 1);

        onceItIs("UP");
        post("jobs/end").then().statusCode(204);
    }

    private static Map<String, Object> onceItIs(String status) {
        AtomicReference<Map<String, Object>> last = new AtomicReference<>();
        Await.until(() -> status + ", not " + last.get(), SOON, () -> {
            last.set(locks());
            return status.equals(last.get().get("status"));
        });
        return last.get();
    }

    /** The extension's check, as Kubernetes would see it; the Redis client has its own. */
    private static Map<String, Object> locks() {
        JsonPath answer = get("/q/health/ready").then().extract().jsonPath();
        return answer.getMap("checks.find { it.name == 'Lock backends health check' }");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> data(Map<String, Object> check) {
        return (Map<String, Object>) check.get("data");
    }
}
