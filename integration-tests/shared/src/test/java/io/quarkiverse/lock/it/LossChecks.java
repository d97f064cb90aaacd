package io.quarkiverse.lock.it;

import static io.quarkiverse.lock.it.Calls.awaitFree;
import static io.quarkiverse.lock.it.Calls.awaitHeld;
import static io.quarkiverse.lock.it.Calls.forceRelease;
import static io.quarkiverse.lock.it.Calls.post;
import static io.quarkiverse.lock.it.Calls.postInBackground;
import static io.quarkiverse.lock.it.Calls.result;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.restassured.response.Response;

/** What a running method does when its lock is taken away. */
public abstract class LossChecks {

    /** Their gates stay shut: only the loss can end them. */
    @ParameterizedTest
    @ValueSource(strings = { "uni", "stage", "interruptible" })
    void lossEndsMethodAtOnce(String kind) throws Exception {
        CompletableFuture<Response> call = loseWhileRunning("lost-" + kind, kind);
        assertLost(result(call), "work-lost-" + kind);
    }

    @Test
    void blockingMethodFailsAtItsEnd() throws Exception {
        CompletableFuture<Response> call = loseWhileRunning("lost-blocking", "blocking");
        post("/work/lost-blocking/gate");
        assertLost(result(call), "work-lost-blocking");
    }

    @Test
    void methodWithOnLostNotifyContinues() throws Exception {
        CompletableFuture<Response> call = loseWhileRunning("lost-unimpressed", "unimpressed");
        post("/work/lost-unimpressed/gate");
        assertThat(result(call).asString()).isEqualTo("done lost-unimpressed");
    }

    @Test
    void forceReleaseOfFreeLockReturnsFalse() {
        assertThat(forceRelease("work-nobody")).isFalse();
    }

    private static CompletableFuture<Response> loseWhileRunning(String id, String kind) {
        CompletableFuture<Response> call = postInBackground("/work/{id}/{kind}", id, kind);
        awaitHeld("work-" + id);
        assertThat(forceRelease("work-" + id)).isTrue();
        awaitFree("work-" + id);
        return call;
    }

    private static void assertLost(Response response, String name) {
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(409);
        assertThat(response.asString()).contains(name);
    }
}
