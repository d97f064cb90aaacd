package io.quarkiverse.lock.it;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.restassured.path.json.JsonPath;
import io.restassured.specification.RequestSpecification;

/** What operators see and change when the locks are in a store. */
public abstract class ManagementChecks {

    private static final Duration SOON = Duration.ofSeconds(60);

    @Inject
    LockManager locks;

    @ConfigProperty(name = "quarkus.management.test-port")
    int port;

    /** With the endpoint, and a user who may use it. */
    public static class Operators implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of(
                    "quarkus.management.enabled", "true",
                    "quarkus.management.test-port", "0",
                    "quarkus.lock.management.enabled", "true",
                    "quarkus.management.auth.basic", "true",
                    "quarkus.security.users.embedded.enabled", "true",
                    "quarkus.security.users.embedded.plain-text", "true",
                    "quarkus.security.users.embedded.users.olga", "secret");
        }
    }

    @Test
    void operatorsSeeHoldersAndWaiters() {
        try (LockHandle held = locks.lock("seen").acquire()) {
            var waiting = locks.lock("seen").tryAcquireAsync(Duration.ofMinutes(1)).subscribe().asCompletionStage();
            Await.until("the holder is listed", SOON, () -> list("seen").getList("locks").size() == 1);
            assertThat(list("seen").getString("locks[0].holders[0].fencingToken"))
                    .isEqualTo(Long.toString(held.fencingToken()));
            assertThat(list("unseen").getList("locks")).isEmpty();
            JsonPath inspected = operator().queryParam("name", "seen").get("/q/lock/inspect").jsonPath();
            assertThat(inspected.getString("holders[0].owner")).isEqualTo("it");
            waiting.cancel(true);
        }
    }

    @Test
    void operatorsPageThroughAll() {
        try (LockHandle held = locks.all("paged-1", "paged-2", "paged-3").acquire()) {
            int seen = 0;
            String next = "";
            do {
                RequestSpecification query = operator().queryParam("prefix", "paged-").queryParam("pageSize", 2);
                JsonPath page = (next.isEmpty() ? query : query.queryParam("continuation", next)).get("/q/lock").jsonPath();
                seen += page.getList("locks").size();
                next = page.getString("continuation");
            } while (next != null);
            assertThat(seen).isEqualTo(3);
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void operatorsRequestAndForceRelease() {
        try (LockHandle held = locks.lock("wanted").acquire()) {
            assertThat(change("request-release", "wanted")).isTrue();
            Await.until("the holder is asked", SOON, held::isReleaseRequested);
            assertThat(change("force-release", "wanted")).isTrue();
            Await.until("the lock is lost", SOON, () -> !held.isValid());
            assertThat(change("force-release", "wanted")).isFalse();
        }
    }

    private JsonPath list(String prefix) {
        return operator().queryParam("prefix", prefix).get("/q/lock").jsonPath();
    }

    private boolean change(String action, String name) {
        return operator().header("X-Quarkus-Lock", "test").formParam("name", name).post("/q/lock/" + action)
                .then().statusCode(200).extract().jsonPath().getBoolean("held");
    }

    private RequestSpecification operator() {
        return given().port(port).auth().preemptive().basic("olga", "secret");
    }
}
