package io.quarkiverse.lock.it.devui;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;

import org.jboss.shrinkwrap.api.asset.StringAsset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.quarkiverse.lock.testkit.server.FreePort;
import io.quarkus.test.QuarkusDevModeTest;

/** The application in dev mode, on a port of its own. */
final class DevApplication {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final int port = FreePort.find();
    private final String settings;

    private DevApplication(String settings) {
        this.settings = settings;
    }

    /** Its locks are in the JVM. */
    static DevApplication onLocal() {
        return new DevApplication("quarkus.lock.backend=local");
    }

    /** @param url of a Redis */
    static DevApplication onRedis(String url) {
        return new DevApplication("quarkus.lock.backend=redis\nquarkus.redis.hosts=" + url);
    }

    QuarkusDevModeTest start() {
        return new QuarkusDevModeTest().withApplicationRoot(jar -> jar.addClass(Orders.class)
                .addAsResource(new StringAsset("""
                        quarkus.http.port=%d
                        quarkus.application.name=orders
                        quarkus.lock.wait=4s
                        quarkus.lock.overrides."order-{id}".lease=15s
                        quarkus.lock.overrides.pay.on-lost=notify
                        quarkus.lock.managers.other.lease=40s
                        %s
                        """.formatted(port, settings)), "application.properties"));
    }

    String get(String path) throws Exception {
        return HTTP.send(HttpRequest.newBuilder(page(path)).build(), BodyHandlers.ofString()).body();
    }

    /** What Dev MCP answers, be it a result or an error. */
    JsonNode mcp(String method, Map<String, ?> parameters) throws Exception {
        String request = JSON.writeValueAsString(Map.of("jsonrpc", "2.0", "id", 1, "method", method, "params", parameters));
        String answer = HTTP.send(HttpRequest.newBuilder(page("/q/dev-mcp")).header("Content-Type", "application/json")
                .header("Accept", "application/json, text/event-stream").POST(BodyPublishers.ofString(request)).build(),
                BodyHandlers.ofString()).body();
        JsonNode read = JSON.readTree(answer);
        return read.has("result") ? read.get("result") : read;
    }

    URI page(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    JsonRpc jsonRpc() {
        return new JsonRpc(HTTP, URI.create("ws://localhost:" + port + "/q/dev-ui/json-rpc-ws"));
    }
}
