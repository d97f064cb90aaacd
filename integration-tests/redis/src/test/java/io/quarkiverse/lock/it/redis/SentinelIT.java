package io.quarkiverse.lock.it.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.RedisSentinel;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.restassured.path.json.JsonPath;

/** The packaged application finds the master through a sentinel, even after a fail-over. */
class SentinelIT {

    private static RedisSentinel redis;
    private static Node node;

    @BeforeAll
    static void start() throws Exception {
        redis = RedisSentinel.start(1);
        node = new Node("sentinel", "/orders/most-at-once", Map.of("quarkus.redis.client-type", "sentinel",
                "quarkus.redis.hosts", redis.url(), "quarkus.redis.master-name", RedisSentinel.MASTER,
                // So that the held lock has reached the replica
                "quarkus.lock.redis.replica-acks", "1",
                "quarkus.lock.wait", "60s", "quarkus.lock.lease", "2m"));
        node.awaitReady();
    }

    @AfterAll
    static void stop() {
        if (node != null) {
            node.close();
        }
        redis.close();
    }

    @Test
    void lockSurvivesMasterFailover() throws Exception {
        String token = acquire("kept");
        RedisServer former = redis.master();
        redis.failOver();
        redis.awaitPromotion(former);
        assertThat(acquire("next")).as("granted by the new master").isNotEqualTo(token);
        assertThat(node.get("/locks/kept/" + token + "/valid")).isEqualTo("true");
        Await.until("it is said to be held", Duration.ofSeconds(60), () -> {
            int status = node.post("/locks/kept/try").get(60, TimeUnit.SECONDS);
            assertThat(status).as("held, or not known yet").isIn(404, 503);
            return status == 404;
        });
        assertThat(node.call("DELETE", "/locks/kept/" + token).get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(204);
        acquire("kept");
    }

    private static String acquire(String name) throws Exception {
        var granted = node.call("POST", "/locks/" + name).get(90, TimeUnit.SECONDS);
        assertThat(granted.statusCode()).as(granted.body()).isEqualTo(200);
        return JsonPath.from(granted.body()).getString("fencingToken");
    }
}
