package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;

/** The answers that clients get if the application has no exception mapper. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
class FailedRequestsTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String PROBLEM = "application/problem+json";

    RedisServer redis;

    @Test
    void busyLockGives423() {
        post("jobs/begin/50").then().statusCode(204);
        post("jobs/at-once/50").then().statusCode(423).contentType(PROBLEM).header("Retry-After", "1")
                .body("status", equalTo(423)).body("lock", nullValue());
        post("jobs/end").then().statusCode(204);
        Await.until("it is free", SOON, () -> post("jobs/at-once/50").statusCode() == 204);
    }

    /** Quarkus REST writes the headers of server-sent events, unlike others, before it subscribes. */
    @Test
    void busyLockFailsStreams() throws Exception {
        get("jobs/lines/52").then().statusCode(200).body(containsString("two"));
        get("jobs/events/52").then().statusCode(200).body(containsString("data:two"));
        post("jobs/begin/52").then().statusCode(204);
        get("jobs/lines/52").then().statusCode(423).contentType(PROBLEM);
        get("jobs/events-or-busy/52").then().statusCode(200).body(containsString("data:busy"));
        URI events = URI.create("http://localhost:" + RestAssured.port + "/jobs/events/52");
        HttpResponse<InputStream> response = HttpClient.newHttpClient().send(HttpRequest.newBuilder(events).build(),
                BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThatThrownBy(() -> response.body().readAllBytes()).isInstanceOf(IOException.class);
        post("jobs/end").then().statusCode(204);
        Await.until("it is free", SOON, () -> post("jobs/at-once/52").statusCode() == 204);
    }

    @Test
    void lostLockGives409() {
        post("jobs/lose/1").then().statusCode(409).contentType(PROBLEM).header("Retry-After", nullValue());
    }

    /** Its two calls wait for the full operation timeout. */
    @FullBuild
    @Test
    void unreachableStoreGives503() {
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
