package io.quarkiverse.lock.it.management;

import static io.quarkiverse.lock.it.management.Operator.ANONYMOUS;
import static io.quarkiverse.lock.it.management.Operator.KNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.vertx.core.json.JsonObject;

/** The answers that operators get when the store fails, or does not support the operation. */
class TroubleTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers()
            .withApplicationRoot(jar -> jar.addClasses(App.class, Operator.class, TroubledBackend.class))
            .overrideConfigKey("quarkus.lock.backend", "troubled")
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", "1")
            .addBuildChainCustomizer(chain -> chain.addBuildStep(context -> context.produce(new LockBackendBuildItem("troubled",
                    1, EnumSet.allOf(Feature.class), TroubledBackend.class.getName())))
                    .produces(LockBackendBuildItem.class).build());

    @Test
    void storeFailureGives503() {
        TroubledBackend.ANSWER
                .set(() -> Uni.createFrom().failure(new LockBackendException("a", "Refused", new Exception("x"))));
        problem(503, "Refused");
    }

    @Test
    void silentStoreGives503() {
        TroubledBackend.ANSWER.set(() -> Uni.createFrom().nothing());
        problem(503, "Lock backend 'troubled' has not answered within 501 ms; check its connection settings",
                "it may still be done");
    }

    @Test
    @Timeout(120)
    void silentStoreGives503WithoutFreeWorker() throws Exception {
        TroubledBackend.ANSWER.set(() -> Uni.createFrom().nothing());
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Infrastructure.getDefaultExecutor().execute(() -> {
            busy.countDown();
            try {
                done.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        busy.await();
        try {
            assertThat(ANONYMOUS.get("/q/lock").statusCode()).isEqualTo(503);
        } finally {
            done.countDown();
        }
    }

    @Test
    void lateAnswerIsLogged() throws Exception {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        TroubledBackend.ANSWER.set(() -> Uni.createFrom().completionStage(answer));
        try (LogLines log = LogLines.news("io.quarkiverse.lock")) {
            assertThat(KNOWN.withHeader().post("/q/lock/force-release", "a").statusCode()).isEqualTo(503);
            answer.complete(true);
            Await.until("the outcome is logged", Duration.ofSeconds(20), () -> log.messages().stream()
                    .anyMatch(line -> line.endsWith(": it was held")));
        }
    }

    @Test
    void unsupportedOperationGives501() {
        TroubledBackend.ANSWER.set(() -> Uni.createFrom().failure(new IllegalStateException("This cannot be done")));
        TroubledBackend.FEATURES.set(EnumSet.noneOf(Feature.class));
        try (LogLines log = LogLines.news("io.quarkiverse.lock")) {
            for (HttpResponse<String> answer : List.of(ANONYMOUS.get("/q/lock"),
                    KNOWN.withHeader().post("/q/lock/request-release", "a"))) {
                assertThat(answer.statusCode()).isEqualTo(501);
                assertThat(new JsonObject(answer.body()).getString("detail")).isEqualTo("This cannot be done");
            }
            assertThat(log.messages()).anySatisfy(line -> assertThat(line).endsWith(": it failed: This cannot be done"));
        } finally {
            TroubledBackend.FEATURES.set(EnumSet.allOf(Feature.class));
        }
    }

    @Test
    void unknownRemainingLeaseIsOmitted() {
        LockInfo known = new LockInfo("a",
                List.of(new LockInfo.Holder("somebody", 7, LockMode.EXCLUSIVE, 0, Duration.ofSeconds(1), Duration.ZERO)), 0);
        TroubledBackend.ANSWER.set(() -> Uni.createFrom().item(Optional.of(known)));
        assertThat(ANONYMOUS.with("Accept", "text/html").get("/q/lock/inspect?name=a").body())
                .contains("<div>somebody, exclusive, token 7, for 1s</div>");
    }

    /** The backend supports the operation, but it fails in an unforeseen way. */
    @Test
    void unexpectedStateGives500() {
        TroubledBackend.ANSWER.set(() -> Uni.createFrom().failure(new IllegalStateException("internal")));
        problem(500, "The request failed; the log says why");
    }

    @Test
    void internalErrorGives500() {
        TroubledBackend.ANSWER.set(() -> {
            throw new UnsupportedOperationException("internal");
        });
        problem(500, "The request failed; the log says why");
    }

    private static void problem(int status, String detail) {
        problem(status, detail, "it failed");
    }

    private static void problem(int status, String detail, String logged) {
        try (LogLines log = LogLines.news("io.quarkiverse.lock")) {
            for (HttpResponse<String> answer : List.of(
                    ANONYMOUS.get("/q/lock"),
                    ANONYMOUS.with("Accept", "text/html").get("/q/lock"),
                    ANONYMOUS.get("/q/lock/inspect?name=a"),
                    KNOWN.withHeader().post("/q/lock/force-release", "a"),
                    KNOWN.withHeader().post("/q/lock/request-release", "a"))) {
                assertThat(answer.statusCode()).isEqualTo(status);
                assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
                assertThat(new JsonObject(answer.body()).getString("detail")).isEqualTo(detail);
                assertThat(answer.body()).doesNotContain("\tat ", "Exception");
            }
            assertThat(log.messages()).anySatisfy(line -> assertThat(line).startsWith("Operator 'olga' at ")
                    .contains(" forces the release of lock 'a' of manager '<default>': " + logged + ": "));
        }
    }
}
