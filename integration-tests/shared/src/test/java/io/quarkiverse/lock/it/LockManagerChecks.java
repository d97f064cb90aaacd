package io.quarkiverse.lock.it;

import static io.quarkiverse.lock.it.Calls.forceRelease;
import static io.quarkiverse.lock.it.Calls.getInBackground;
import static io.quarkiverse.lock.it.Calls.number;
import static io.quarkiverse.lock.it.Calls.post;
import static io.quarkiverse.lock.it.Calls.postInBackground;
import static io.quarkiverse.lock.it.Calls.result;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.restassured.response.Response;

/** Locks through the API. */
public abstract class LockManagerChecks {

    @ParameterizedTest
    @ValueSource(strings = { "plain", "with space", "ünï-çødé-鍵", "[brackets]%7B|", "a:b", "Case" })
    void holdsAndReleasesAnyName(String name) {
        long token = acquire(name);
        assertThat(post("/locks/{name}/try", name).statusCode()).isEqualTo(404);
        assertThat(valid(name, token)).isTrue();

        release(name, token);
        long next = acquire(name);
        assertThat(next).isGreaterThan(token);
        release(name, next);
    }

    @Test
    void inspectReportsTheHolder() {
        assertThat(given().get("/locks/inspected").statusCode()).isEqualTo(404);
        long token = acquire("inspected");

        var info = given().get("/locks/inspected").jsonPath();
        assertThat(info.getString("name")).isEqualTo("inspected");
        assertThat(info.getList("holders")).hasSize(1);
        assertThat(info.getString("holders[0].owner")).isEqualTo("it");
        assertThat(info.getLong("holders[0].fencingToken")).isEqualTo(token);
        release("inspected", token);
    }

    @Test
    void handsOverToNextWaiter() throws Exception {
        long token = acquire("line");
        CompletableFuture<Response> next = postInBackground("/locks/line/uni");
        release("line", token);

        long nextToken = result(next).jsonPath().getLong("fencingToken");
        assertThat(nextToken).isGreaterThan(token);
        release("line", nextToken);
    }

    @Test
    void notifiesHolderOfLoss() throws Exception {
        long token = acquire("taken");
        CompletableFuture<Response> lost = getInBackground("/locks/{name}/{token}/lost", "taken", token);
        assertThat(forceRelease("taken")).isTrue();

        assertThat(result(lost).asString()).contains("taken");
        assertThat(valid("taken", token)).isFalse();
        long next = acquire("taken");
        assertThat(next).isGreaterThan(token);
        release("taken", token);
        assertThat(valid("taken", next)).as("only its own token releases a lock").isTrue();
        release("taken", next);
    }

    /** How far to extend a lock: longer than its lease, but within what the backend allows. */
    protected long extendedSeconds() {
        return 300;
    }

    @Test
    void extendsTheLease() {
        long token = acquire("extended");
        assertThat(number(post("/locks/extended/{token}/extend?seconds={s}", token, extendedSeconds()))).isBetween(
                extendedSeconds() * 2 / 3,
                extendedSeconds());
        release("extended", token);
    }

    @ParameterizedTest
    @ValueSource(strings = { "call", "call-uni" })
    void runsABodyUnderALock(String kind) {
        var held = post("/locks/called/{kind}", kind).jsonPath();
        assertThat(held.getList("name", String.class)).contains("called");
        assertThat(given().get("/locks/called").statusCode()).isEqualTo(404);
    }

    private static long acquire(String name) {
        Response response = post("/locks/{name}", name);
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        return response.jsonPath().getLong("fencingToken");
    }

    private static boolean valid(String name, long token) {
        return Boolean.parseBoolean(given().get("/locks/{name}/{token}/valid", name, token).asString());
    }

    private static void release(String name, long token) {
        assertThat(given().delete("/locks/{name}/{token}", name, token).statusCode()).isEqualTo(204);
    }
}
