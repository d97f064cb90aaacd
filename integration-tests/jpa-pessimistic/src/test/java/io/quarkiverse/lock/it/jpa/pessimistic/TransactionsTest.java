package io.quarkiverse.lock.it.jpa.pessimistic;

import static io.quarkiverse.lock.it.Calls.post;
import static io.quarkiverse.lock.it.Calls.postInBackground;
import static io.quarkiverse.lock.it.Calls.result;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.it.Calls;
import io.quarkiverse.lock.it.DatabaseResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Locks that live in transactions, in an application. */
@QuarkusTest
@QuarkusTestResource(DatabaseResource.class)
class TransactionsTest {

    private static final int CALLERS = 4;
    private static final int EACH = 3;

    @ParameterizedTest
    @ValueSource(strings = { "transactional", "own", "outer", "outer-twice", "quarkus-transaction", "requires-new",
            "requires-new-inside", "rolled-back" })
    void countsEveryCall(String kind) throws Exception {
        given().put("/counter/{id}", kind);
        List<CompletableFuture<Response>> all = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            all.add(postInBackground("/counter/{id}/{kind}/{times}", kind, kind, EACH));
        }
        for (CompletableFuture<Response> one : all) {
            Response response = one.get(1, TimeUnit.MINUTES);
            assertThat(response.statusCode()).as(response.asString()).isEqualTo(204);
        }
        assertThat(value(kind)).isEqualTo(CALLERS * EACH);
    }

    @Test
    void waitTimesOutAndNamesTheLock() throws Exception {
        CompletableFuture<Response> holder = hold("bounded");
        long start = System.nanoTime();
        Response busy = post("/holding/bounded/impatient");
        Duration waited = Duration.ofNanos(System.nanoTime() - start);
        assertThat(busy.statusCode()).as(busy.asString()).isEqualTo(423);
        assertThat(busy.asString()).contains("counter-bounded");
        assertThat(waited).isBetween(Duration.ofMillis(300), Duration.ofSeconds(12));

        assertThat(end("bounded", holder).asString()).isEqualTo("done");
        assertThat(post("/holding/bounded/impatient").asString()).isEqualTo("done");
        assertThat(value("bounded")).isEqualTo(1);
    }

    @Test
    void expiredWaitLeavesTransactionIntact() throws Exception {
        CompletableFuture<Response> holder = hold("refusing");
        given().put("/counter/refused");
        assertThat(post("/holding/refusing/refused-twice/refused").asString()).isEqualTo("true");
        assertThat(value("refused")).as("counted before and after").isEqualTo(2);
        end("refusing", holder);
    }

    @Test
    void handleRequiresTransactionAndKeepsLockUntilCommit() {
        Response alone = post("/holding/handle/handle-alone");
        assertThat(alone.statusCode()).as(alone.asString()).isEqualTo(400);
        assertThat(alone.asString()).contains("counter-handle", "@Transactional", "quarkus.lock.jpa.strategy=lease");

        assertThat(post("/holding/handle/handle").asString()).as("held, though the handle was closed").isEqualTo("true");
        assertThat(post("/holding/handle/impatient").asString()).as("free with the commit").isEqualTo("done");
    }

    private static CompletableFuture<Response> hold(String id) {
        given().put("/counter/{id}", id);
        CompletableFuture<Response> holder = postInBackground("/holding/{id}/until-told", id);
        assertThat(given().get("/holding/{id}/session", id).statusCode()).as("it has the lock").isEqualTo(200);
        return holder;
    }

    private static Response end(String id, CompletableFuture<Response> holder) throws Exception {
        post("/holding/{id}/end", id);
        return result(holder);
    }

    private static long value(String id) {
        return Calls.number(given().get("/counter/{id}", id));
    }
}
