package io.quarkiverse.lock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.quarkiverse.lock.testkit.Await;

/** Runs sales over HTTP, as the page does. */
final class Sales {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** The timeout of one request: over a connection to a master that has just died it may never be answered. */
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private final URI node;

    Sales(URI node) {
        this.node = node;
    }

    /** Starts a sale and returns its last status. */
    JsonNode run(boolean locked) throws Exception {
        return run("locked=" + locked);
    }

    /** With the lock, and a master of Redis that is killed in the middle of the sale. */
    JsonNode runWithoutMaster() throws Exception {
        return run("masterDies=true");
    }

    /** The master of Redis, once it can be reached and is as wanted. */
    JsonNode master(String what, Predicate<JsonNode> wanted) {
        var master = new AtomicReference<JsonNode>();
        Await.until(what, PATIENCE, () -> {
            try {
                master.set(send(request("/master").build()));
            } catch (IOException e) {
                return false;
            }
            return !master.get().get("address").asText().isEmpty() && wanted.test(master.get());
        });
        return master.get();
    }

    /** That another process than the one that was killed is the master; it may be at the same address. */
    void checkSuccessor(JsonNode status) {
        assertThat(status.get("fall").get("master").asText()).as(status.toString()).startsWith("port ");
        assertThat(status.get("fall").get("run").asText()).as(status.toString())
                .isNotEqualTo(master("the master can be reached", master -> true).get("run").asText());
    }

    private JsonNode run(String how) throws Exception {
        String id = send(request("/sales?" + how).POST(BodyPublishers.noBody()).build()).get("id").asText();
        Await.until("sale " + id + " ends", PATIENCE, () -> done(id));
        return status(id);
    }

    /** While Redis has no master, nobody knows. */
    private boolean done(String id) throws Exception {
        try {
            return status(id).get("done").asBoolean();
        } catch (IOException e) {
            return false;
        }
    }

    /** Each node's name and how many holds it had. */
    JsonNode nodes() throws Exception {
        return send(request("/nodes").build());
    }

    private JsonNode status(String id) throws Exception {
        return send(request("/sales/" + id).build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(node.resolve(path)).timeout(ANSWER);
    }

    private static JsonNode send(HttpRequest request) throws IOException, InterruptedException {
        var response = HTTP.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(request.uri() + " answered " + response.statusCode() + ": " + response.body());
        }
        return JSON.readTree(response.body());
    }
}
