package io.quarkiverse.lock.it;

import static io.quarkiverse.lock.it.Calls.number;
import static io.quarkiverse.lock.it.Calls.post;
import static io.quarkiverse.lock.it.Calls.postInBackground;
import static io.quarkiverse.lock.it.Calls.result;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.restassured.response.Response;

/** {@code @Locked} on each kind of method. */
public abstract class OrderChecks {

    private static final int CALLS = 40;

    @ParameterizedTest
    @ValueSource(strings = { "blocking", "virtual", "uni", "stage", "nested" })
    void countsEveryCall(String kind) throws Exception {
        assertThat(countConcurrently("every-" + kind, List.of(kind))).containsExactlyElementsOf(oneTo(CALLS));
    }

    @Test
    void allKindsExcludeEachOther() throws Exception {
        List<String> kinds = List.of("blocking", "virtual", "uni", "stage", "nested");
        assertThat(countConcurrently("mixed", kinds)).containsExactlyElementsOf(oneTo(CALLS));
    }

    @Test
    void usesVirtualThreadsIfAvailable() {
        var application = given().get("/orders/virtual").jsonPath();
        boolean required = Boolean.getBoolean("lock.test.require-virtual-threads");
        assumeTrue(required || application.getInt("jdk") >= 21, "The application's JDK has no virtual threads");
        assertThat(application.getString("thread")).isEqualTo("VirtualThread");
    }

    @Test
    void rejectsBlockingOnEventLoop() {
        Response response = post("/orders/loop/blocking-on-event-loop");
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(501);
        assertThat(number(post("/orders/loop/blocking"))).isEqualTo(1);
    }

    private static List<Long> countConcurrently(String id, List<String> kinds) throws Exception {
        List<CompletableFuture<Response>> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            calls.add(postInBackground("/orders/{id}/" + kinds.get(i % kinds.size()), id));
        }
        List<Long> counts = new ArrayList<>();
        for (CompletableFuture<Response> call : calls) {
            counts.add(number(result(call)));
        }
        assertThat(number(given().get("/orders/most-at-once"))).isEqualTo(1);
        counts.sort(null);
        return counts;
    }

    private static List<Long> oneTo(int last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }
}
