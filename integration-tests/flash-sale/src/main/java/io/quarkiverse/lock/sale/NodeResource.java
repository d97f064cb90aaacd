package io.quarkiverse.lock.sale;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.smallrye.mutiny.Uni;

/** How busy the lock was, at this node and at all of them. */
@Path("/nodes")
public class NodeResource {

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final HttpClient http = HttpClient.newHttpClient();
    private final Nodes nodes;
    private final LockWatch watch;
    private final ObjectMapper json;

    NodeResource(Nodes nodes, LockWatch watch, ObjectMapper json) {
        this.nodes = nodes;
        this.watch = watch;
        this.json = json;
    }

    @GET
    @Path("/this")
    public Uni<LockWatch.Seen> here() {
        return Uni.createFrom().item(watch.seen(nodes.name()));
    }

    @GET
    public Uni<List<LockWatch.Seen>> all() {
        return Uni.join().all(nodes.nodes().stream().map(this::ask).toList()).andFailFast();
    }

    private Uni<LockWatch.Seen> ask(URI node) {
        var request = HttpRequest.newBuilder(node.resolve("/nodes/this")).timeout(PATIENCE).build();
        return Uni.createFrom().completionStage(() -> http.sendAsync(request, BodyHandlers.ofString()))
                .map(response -> read(response.body()));
    }

    private LockWatch.Seen read(String body) {
        try {
            return json.readValue(body, LockWatch.Seen.class);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A node answered " + body, e);
        }
    }
}
