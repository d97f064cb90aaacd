package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.post;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

/** The answers that clients get if the application has no mapper. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
class FailedRequestsTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String PROBLEM = "application/problem+json";

    RedisServer redis;

    @Test
    void busy() {
        post("jobs/begin/50").then().statusCode(204);
        post("jobs/at-once/50").then().statusCode(423).contentType(PROBLEM).header("Retry-After", "1")
                .body("status", equalTo(423)).body("lock", nullValue());
        post("jobs/end").then().statusCode(204);
        Await.until("it is free", SOON, () -> post("jobs/at-once/50").statusCode() == 204);
    }

    @Test
    void lost() {
        post("jobs/lose/1").then().statusCode(409).contentType(PROBLEM).header("Retry-After", nullValue());
    }

    /** Its two calls wait for as long as the operation timeout. */
    @FullBuild
    @Test
    void outOfReach() {
        redis.stop();
        try {
            Await.until("the store is missed", SOON, () -> post("jobs/once/51").statusCode() == 503);
            post("jobs/once/51").then().statusCode(503).contentType(PROBLEM).header("Retry-After", nullValue());
        } finally {
            redis.restart();
        }
        Await.until("it is back", SOON, () -> post("jobs/once/51").statusCode() == 204);
    }
}
