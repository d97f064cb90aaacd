package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
class MetricsTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void waitsAndHoldsAreCountedByTemplate() {
        String[] tags = { "manager=\"<default>\"", "backend=\"redis\"", "template=\"job-{id}\"" };
        Meters before = Meters.read();
        for (int id = 0; id < 5; id++) {
            post("jobs/once/" + id, 204);
        }
        Await.until("five have been counted", SOON,
                () -> increase("quarkus_lock_hold_seconds_count", before, Meters.read(), tags) == 5);
        Meters after = Meters.read();

        assertThat(increase("quarkus_lock_acquired_total", before, after, tags)).isEqualTo(5);
        assertThat(increase("quarkus_lock_wait_seconds_count", before, after, with(tags, "outcome=\"granted\""))).isEqualTo(5);
        assertThat(increase("quarkus_lock_wait_seconds_bucket", before, after,
                with(tags, "outcome=\"granted\"", "le=\"+Inf\""))).isEqualTo(5);
        assertThat(increase("quarkus_lock_hold_seconds_count", before, after, with(tags, "outcome=\"released\"")))
                .isEqualTo(5);
        assertThat(increase("quarkus_lock_lost_total", before, after, tags)).isZero();
    }

    @Test
    void lockNamesAreNotTags() {
        for (int id = 0; id < 20; id++) {
            post("jobs/by-hand/secret-" + id, 204);
            post("jobs/once/4711" + id, 204);
        }
        post("jobs/on-each-backend/1", 204);
        Meters meters = Meters.read();

        assertThat(meters.samples().keySet()).noneMatch(sample -> sample.contains("secret") || sample.contains("4711"));
        assertThat(meters.values("template")).contains("job-{id}", "programmatic", "short-{id}", "node-{id}", "row-{id}")
                .isSubsetOf("job-{id}", "programmatic", "short-{id}", "node-{id}", "row-{id}", "long-{id}", "lost-{id}",
                        "traced-{id}");
        assertThat(meters.values("manager")).containsExactly("<default>", "here", "nodes", "rows");
        assertThat(meters.values("backend")).containsExactly("jpa", "local", "redis", "zookeeper");
        assertThat(meters.sum("quarkus_lock_acquired_total", "manager=\"here\"", "backend=\"local\"")).isPositive();
        assertThat(meters.sum("quarkus_lock_acquired_total", "manager=\"nodes\"", "backend=\"zookeeper\"")).isPositive();
        assertThat(meters.sum("quarkus_lock_acquired_total", "manager=\"rows\"", "backend=\"jpa\"")).isPositive();
    }

    @Test
    void metersCountHoldersAndWaiters() {
        String tag = "template=\"long-{id}\"";
        Meters before = Meters.read();
        post("jobs/begin/1", 204);
        post("jobs/begin/2", 204);
        Thread waiter = new Thread(() -> post("jobs/begin/1", 204));
        waiter.start();

        Await.until("two hold and one waits", SOON, () -> {
            Meters now = Meters.read();
            return now.sum("quarkus_lock_held", tag) == 2 && now.sum("quarkus_lock_waiting", tag) == 1
                    && now.sum("quarkus_lock_oldest_hold_seconds", tag) > 0;
        });
        post("jobs/end", 204);
        Await.until("the third has it", SOON,
                () -> increase("quarkus_lock_acquired_total", before, Meters.read(), tag) == 3);
        Await.until("all have ended", SOON, () -> {
            post("jobs/end", 204);
            Meters now = Meters.read();
            return now.sum("quarkus_lock_held", tag) == 0 && now.sum("quarkus_lock_waiting", tag) == 0
                    && now.sum("quarkus_lock_oldest_hold_seconds", tag) == 0;
        });
    }

    @Test
    void lossesAreCounted() {
        String tag = "template=\"long-{id}\"";
        Meters before = Meters.read();
        post("jobs/begin/7", 204);
        post("jobs/take-away/long-7", 204);

        Await.until("the loss is counted", SOON, () -> {
            Meters now = Meters.read();
            return increase("quarkus_lock_lost_total", before, now, tag) == 1
                    && increase("quarkus_lock_hold_seconds_count", before, now, tag, "outcome=\"lost\"") == 1;
        });
        post("jobs/end", 204);
    }

    @Test
    void connectedStoresAreReported() {
        Await.until("all are connected", SOON, () -> {
            Meters meters = Meters.read();
            return Stream.of("redis", "zookeeper", "jpa", "local")
                    .allMatch(store -> meters.sum("quarkus_lock_connected", "backend=\"" + store + "\"") == 1);
        });
    }

    private static double increase(String name, Meters before, Meters after, String... tags) {
        return after.sum(name, tags) - before.sum(name, tags);
    }

    private static String[] with(String[] tags, String... more) {
        return Stream.concat(Arrays.stream(tags), Arrays.stream(more))
                .toArray(String[]::new);
    }

    private static void post(String path, int status) {
        when().post(path).then().statusCode(status);
    }
}
