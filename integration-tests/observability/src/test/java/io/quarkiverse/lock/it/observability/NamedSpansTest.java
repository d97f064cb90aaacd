package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.post;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** Spans contain the names of locks if that is enabled. */
@FullBuild
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
@TestProfile(NamedSpansTest.Named.class)
class NamedSpansTest {

    public static class Named implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.lock.traces.names", "true");
        }
    }

    @Inject
    RecordedSpans spans;

    @Test
    void bothSpansHaveTheName() {
        post("traced/call/local/7").then().statusCode(200);
        post("traced/blocking/redis/8").then().statusCode(200);
        Await.until("all have ended", SpansTest.SOON, () -> spans.ended("lock ").size() == 4);

        assertThat(spans.ended("lock wait")).extracting(span -> SpansTest.text(span, "name"))
                .containsExactly("traced-7", "traced-8");
        assertThat(spans.ended("lock hold")).extracting(span -> SpansTest.text(span, "name"))
                .containsExactly("traced-7", "traced-8");
    }
}
