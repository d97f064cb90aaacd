package io.quarkiverse.lock.it.observability;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.path.json.JsonPath;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** All workers are blocked, as if waiting for locks: the node must stay in service. */
@FullBuild
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
@TestProfile(BusyReadinessTest.FewWorkers.class)
class BusyReadinessTest {

    private static final int WORKERS = 2;

    /** The checks of other extensions need a worker. */
    public static class FewWorkers implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.thread-pool.max-threads", Integer.toString(WORKERS),
                    "quarkus.redis.health.enabled", "false", "quarkus.datasource.health.enabled", "false");
        }
    }

    @ConfigProperty(name = "quarkus.http.test-port")
    int port;

    @Test
    void readinessDoesNotNeedWorkers() throws Exception {
        var busy = new CountDownLatch(WORKERS);
        var end = new CountDownLatch(1);
        for (int i = 0; i < WORKERS; i++) {
            Infrastructure.getDefaultExecutor().execute(() -> {
                busy.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        try {
            assertThat(busy.await(1, TimeUnit.MINUTES)).isTrue();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/q/health/ready")).build();
            HttpResponse<String> response = HttpClient.newHttpClient().sendAsync(request, BodyHandlers.ofString())
                    .get(1, TimeUnit.MINUTES);
            assertThat(JsonPath.from(response.body()).getMap("checks.find { it.name == 'Lock backends health check' }"))
                    .containsEntry("status", "UP");
        } finally {
            end.countDown();
        }
    }
}
