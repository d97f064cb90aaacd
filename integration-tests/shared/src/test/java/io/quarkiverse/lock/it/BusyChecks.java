package io.quarkiverse.lock.it;

import static io.quarkiverse.lock.it.Calls.awaitHeld;
import static io.quarkiverse.lock.it.Calls.post;
import static io.quarkiverse.lock.it.Calls.postInBackground;
import static io.quarkiverse.lock.it.Calls.result;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.restassured.response.Response;

/** What a call does while another call holds the lock. */
public abstract class BusyChecks {

    @Test
    void timedOutWaitReportsTheHolder() throws Exception {
        CompletableFuture<Response> holder = hold("busy");
        Response busy = post("/work/busy/impatient");
        assertThat(busy.statusCode()).isEqualTo(423);
        assertThat(busy.asString()).contains("work-busy", "held by");

        assertThat(open("busy", holder)).isEqualTo("done busy");
        assertThat(post("/work/busy/impatient").asString()).isEqualTo("done busy");
    }

    @ParameterizedTest
    @ValueSource(strings = { "skip", "skip-uni" })
    void busyCallIsSkipped(String kind) throws Exception {
        CompletableFuture<Response> holder = hold(kind);
        assertThat(post("/work/{id}/{kind}", kind, kind).asString()).isEqualTo("skipped");

        open(kind, holder);
        assertThat(post("/work/{id}/{kind}", kind, kind).asString()).isEqualTo("done " + kind);
    }

    @ParameterizedTest
    @ValueSource(strings = { "blocking", "uni", "stage" })
    void waitsForItsTurn(String kind) throws Exception {
        String id = "turn-" + kind;
        CompletableFuture<Response> holder = hold(id);
        CompletableFuture<Response> waiter = postInBackground("/work/{id}/{kind}", id, kind);
        assertThat(post("/work/{id}/impatient", id).statusCode()).isEqualTo(423);

        open(id, holder);
        assertThat(result(waiter).asString()).isEqualTo("done " + id);
    }

    private static CompletableFuture<Response> hold(String id) {
        CompletableFuture<Response> holder = postInBackground("/work/{id}/blocking", id);
        awaitHeld("work-" + id);
        return holder;
    }

    private static String open(String id, CompletableFuture<Response> holder) throws Exception {
        post("/work/{id}/gate", id);
        return result(holder).asString();
    }
}
