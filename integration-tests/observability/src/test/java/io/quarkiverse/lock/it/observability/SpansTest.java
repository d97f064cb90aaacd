package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.post;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

/** Waits and holds are spans of the request that waits and holds, whichever thread delivers the lock. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
class SpansTest {

    static final Duration SOON = Duration.ofSeconds(60);
    /** The attributes that the guide lists. */
    static final Set<String> ATTRIBUTES = Set.of("quarkus.lock.template", "quarkus.lock.manager", "quarkus.lock.backend",
            "quarkus.lock.mode", "quarkus.lock.name", "quarkus.lock.outcome", "quarkus.lock.token", "quarkus.lock.held.by");
    private static final AtomicInteger IDS = new AtomicInteger();

    @Inject
    RecordedSpans spans;

    @Inject
    TracedJobs jobs;

    private final int id = IDS.incrementAndGet();

    @BeforeEach
    void forget() {
        spans.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = { "blocking/redis", "virtual-thread/redis", "uni/redis", "multi/redis", "stage/redis",
            "transaction/jpa", "call/local", "call/zookeeper", "call/jpa", "call-async/redis", "call-async/local",
            "call-async/zookeeper", "call-async/jpa", "handle/redis", "handle/local", "several/redis", "several/local",
            "several/zookeeper", "own-thread/redis", "own-thread/zookeeper" })
    void contendersHaveTheirOwnSpans(String way) {
        String store = way.substring(way.indexOf('/') + 1);
        CompletableFuture<String> holding = Elsewhere.start(() -> answer("hold/" + store));
        jobs.awaitBegun();
        int waits = waits();
        CompletableFuture<String> waiting = Elsewhere.start(() -> answer(way));
        Await.until("the other one waits", SOON, () -> waits() > waits);
        jobs.end();
        String holder = holding.join();
        String waiter = waiting.join();

        assertThat(waiter).isNotEqualTo(holder).doesNotMatch("0*");
        int names = way.startsWith("several") ? 2 : 1;
        hasSpans(holder, 1, store);
        hasSpans(waiter, names, store);
    }

    private int waits() {
        return (int) spans.begun().stream().filter(span -> span.getName().startsWith("lock wait")).count();
    }

    private void hasSpans(String trace, int number, String store) {
        Await.until("the spans of " + trace, SOON, () -> spans.ofServer(trace) != null
                && spans.ended("lock wait", trace).size() >= number && spans.ended("lock hold", trace).size() == number);
        SpanData server = spans.ofServer(trace);
        for (SpanData wait : spans.ended("lock wait", trace)) {
            assertThat(wait.getParentSpanId()).isEqualTo(server.getSpanId());
            assertThat(text(wait, "backend")).isEqualTo(store);
            assertThat(text(wait, "mode")).isEqualTo("exclusive");
            assertThat(text(wait, "name")).isNull();
            assertThat(text(wait, "outcome")).isIn("granted", "handed-over", "given-up");
        }
        for (SpanData hold : spans.ended("lock hold", trace)) {
            assertThat(hold.getParentSpanId()).isEqualTo(server.getSpanId());
            assertThat(text(hold, "outcome")).isEqualTo("released");
            assertThat(hold.getAttributes().get(AttributeKey.longKey("quarkus.lock.token"))).isPositive();
            assertThat(hold.getLinks()).hasSize(1);
            assertThat(hold.getLinks().get(0).getSpanContext().getTraceId()).isEqualTo(trace);
            assertThat(hold.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        }
    }

    @Test
    void spansDescribeTheLock() {
        String trace = answer("blocking/redis");
        Await.until("both spans", SOON, () -> !spans.ended("lock hold", trace).isEmpty());
        SpanData wait = spans.ended("lock wait", trace).get(0);
        SpanData hold = spans.ended("lock hold", trace).get(0);

        assertThat(wait.getName()).isEqualTo("lock wait traced-{id}");
        assertThat(hold.getName()).isEqualTo("lock hold traced-{id}");
        for (SpanData span : new SpanData[] { wait, hold }) {
            assertThat(text(span, "template")).isEqualTo("traced-{id}");
            assertThat(text(span, "manager")).isEqualTo("<default>");
            assertThat(text(span, "backend")).isEqualTo("redis");
        }
        assertThat(text(wait, "outcome")).isEqualTo("granted");
        assertThat(wait.getAttributes().get(AttributeKey.longKey("quarkus.lock.token")))
                .isEqualTo(hold.getAttributes().get(AttributeKey.longKey("quarkus.lock.token")));
    }

    @ParameterizedTest
    @ValueSource(strings = { "redis", "local", "zookeeper", "jpa" })
    void busyWaitHasNoHoldSpan(String store) {
        CompletableFuture<String> holding = Elsewhere.start(() -> answer("hold/" + store));
        jobs.awaitBegun();
        String trace = answer("at-once/" + store);
        jobs.end();
        holding.join();

        SpanData wait = spans.ended("lock wait", trace).get(0);
        assertThat(text(wait, "outcome")).isEqualTo("busy");
        assertThat(text(wait, "held.by")).startsWith("this JVM for ");
        assertThat(wait.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(spans.ended("lock hold", trace)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "redis", "local", "zookeeper", "jpa" })
    void lossIsRecordedAsSpanEvent(String store) {
        String trace = answer("lose/" + store);
        Await.until("the hold is over", SOON, () -> !spans.ended("lock hold", trace).isEmpty());

        SpanData hold = spans.ended("lock hold", trace).get(0);
        assertThat(text(hold, "outcome")).isEqualTo("lost");
        assertThat(hold.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(hold.getEvents()).hasSize(1);
        assertThat(hold.getEvents().get(0).getName()).isEqualTo("quarkus.lock.lost");
        assertThat(hold.getEvents().get(0).getAttributes().get(AttributeKey.stringKey("quarkus.lock.reason"))).isNotBlank();
    }

    @AfterEach
    void theGuideHasAllAttributes() {
        assertThat(spans.ended("lock ")).allSatisfy(span -> span.getAttributes()
                .forEach((key, value) -> assertThat(ATTRIBUTES).contains(key.getKey())));
    }

    static String text(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.stringKey("quarkus.lock." + attribute));
    }

    private String answer(String way) {
        return post("traced/" + way + "/" + id).then().statusCode(200).extract().asString();
    }
}
