package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.post;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.hasSize;

import java.util.Map;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** Each part can be switched off separately, while the extension that it needs is present. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
@TestProfile(SwitchedOffTest.Off.class)
class SwitchedOffTest {

    public static class Off implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.lock.metrics.enabled", "false", "quarkus.lock.health.enabled", "false",
                    "quarkus.lock.rest.enabled", "false", "quarkus.lock.traces.enabled", "false");
        }
    }

    @Test
    void noMetersAreRegistered() {
        post("jobs/once/1").then().statusCode(204);
        assertThat(Meters.read().samples()).isEmpty();
    }

    @Inject
    RecordedSpans spans;

    @Test
    void noSpansAreRecorded() {
        post("jobs/once/2").then().statusCode(204);
        assertThat(spans.begun()).isNotEmpty().noneMatch(span -> span.getName().startsWith("lock "));
    }

    @Test
    void noHealthCheckIsPresent() {
        get("/q/health/ready").then()
                .body("checks.findAll { it.name == 'Lock backends health check' }", hasSize(0));
    }

    @Test
    void lossIsNotMappedToResponse() {
        post("jobs/lose/1").then().statusCode(500);
    }
}
