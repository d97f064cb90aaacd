package io.quarkiverse.lock.it.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.stream.StreamSupport;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkiverse.lock.testkit.Await;

/** What the pages of the Dev UI show of locks and do with them, whatever the store. */
final class LocksShown {

    static final String DEFAULT = "<default>";
    static final String OURS = "quarkus-lock_";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final DevApplication application;
    private final JsonRpc jsonRpc;

    LocksShown(DevApplication application, JsonRpc jsonRpc) {
        this.application = application;
        this.jsonRpc = jsonRpc;
    }

    void showWhatHappensAndMakeItHappen() throws Exception {
        application.get("/hold/a");
        assertThat(call("streamCounts", Map.of()).asText()).isEqualTo("1 / 0 / 0");
        assertThat(call("losses", Map.of())).isEmpty();
        application.get("/wait/a");
        holdersAndWaiters();
        lossOfALock();
        busyLock();
    }

    private void holdersAndWaiters() throws Exception {
        Await.until("the one who waits is shown", PATIENCE, () -> call("callers", Map.of()).get("callers").size() == 2);
        JsonNode callers = call("callers", Map.of()).get("callers");
        assertThat(call("callers", Map.of()).get("more").asInt()).isZero();
        JsonNode holder = find(callers, "state", "held");
        assertThat(holder.get("name").asText()).isEqualTo("a");
        assertThat(holder.has("template")).as("it was taken through a LockManager").isFalse();
        assertThat(Long.parseLong(holder.get("fencingToken").textValue())).isPositive();
        assertThat(find(callers, "state", "waiting").get("name").asText()).isEqualTo("a");

        JsonNode page = call("stored", Map.of("manager", DEFAULT, "prefix", "", "continuation", ""));
        assertThat(page.has("problem")).isFalse();
        JsonNode lock = find(page.get("locks"), "name", "a");
        assertThat(lock.get("holders").get(0).get("owner").asText()).contains("orders");
        assertThat(call("stored", Map.of("manager", DEFAULT, "prefix", "b", "continuation", "")).get("locks")).isEmpty();
    }

    private void lossOfALock() throws Exception {
        application.get("/hold/b");
        assertAnswer(call("requestRelease", Map.of("manager", DEFAULT, "name", "b")), true, "has been asked");
        assertAnswer(call("forceRelease", Map.of("manager", DEFAULT, "name", "b")), true, "has lost it");
        Await.until("the loss is shown", PATIENCE, () -> call("losses", Map.of()).size() == 1);
        JsonNode loss = call("losses", Map.of()).get(0);
        assertThat(loss.get("name").asText()).isEqualTo("b");
        assertThat(loss.get("reason").asText()).isNotEmpty();
        assertThat(Long.parseLong(loss.get("fencingToken").textValue())).isPositive();

        assertAnswer(call("forceRelease", Map.of("manager", DEFAULT, "name", "b")), false, "Nobody holds 'b'");
    }

    private void busyLock() throws Exception {
        assertThat(application.get("/pay/7")).isEqualTo("paid");
        Map<String, ?> occupied = Map.of("manager", DEFAULT, "name", "order-8", "seconds", 600);

        assertAnswer(call("occupy", occupied), true, "'order-8' is busy for 10m");
        assertThat(application.get("/pay/8")).isEqualTo("busy");
        assertAnswer(call("occupy", occupied), false, "is busy already");

        assertAnswer(call("forceRelease", Map.of("manager", DEFAULT, "name", "order-8")), true, "has lost it");
        Await.until("order 8 can be paid", PATIENCE, () -> application.get("/pay/8").equals("paid"));

        assertAnswer(call("occupy", Map.of("manager", DEFAULT, "name", "order-9", "seconds", 1)), true, "is busy for 1s");
        Await.until("order 9 can be paid", PATIENCE, () -> application.get("/pay/9").equals("paid"));
    }

    private JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        return jsonRpc.call(OURS + method, parameters);
    }

    static void assertAnswer(JsonNode answer, boolean done, String text) {
        assertThat(answer.get("text").asText()).contains(text);
        assertThat(answer.get("done").asBoolean()).isEqualTo(done);
    }

    static JsonNode find(JsonNode list, String key, String value) {
        return StreamSupport.stream(list.spliterator(), false).filter(each -> each.get(key).asText().equals(value))
                .findFirst().orElseThrow(() -> new AssertionError("No " + key + " " + value + " in " + list));
    }
}
