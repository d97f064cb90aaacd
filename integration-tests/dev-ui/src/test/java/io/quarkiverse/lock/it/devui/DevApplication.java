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

import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.FreePort;
import io.quarkus.test.QuarkusDevModeTest;

/** The application in dev mode, on its own port. */
final class DevApplication {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Hibernate needs one in any case: this module has all backends on its class path. */
    private static final String NO_DATABASE = """
            quarkus.datasource.db-kind=h2
            quarkus.datasource.jdbc.url=jdbc:h2:mem:unused
            """;

    private final int port = FreePort.find();
    private final String settings;
    private final Class<?>[] beans;

    private DevApplication(String settings, Class<?>... beans) {
        this.settings = settings;
        this.beans = beans;
    }

    /** Its locks are in the JVM, and it has settings that not every store supports. */
    static DevApplication onLocal() {
        return new DevApplication("""
                quarkus.lock.backend=local
                quarkus.lock.overrides."order-{id}".lease=15s
                quarkus.lock.managers.other.lease=40s
                """ + NO_DATABASE, Orders.class, Receipts.class);
    }

    /** @param url the URL of a Redis */
    static DevApplication onRedis(String url) {
        return new DevApplication("quarkus.lock.backend=redis\nquarkus.redis.hosts=" + url + "\n" + NO_DATABASE, Orders.class);
    }

    static DevApplication onZooKeeper(String connectString) {
        return new DevApplication(
                "quarkus.lock.backend=zookeeper\nquarkus.lock.zookeeper.connect-string=" + connectString + "\n"
                        + NO_DATABASE,
                Orders.class);
    }

    static DevApplication onDatabase(DatabaseServer server) {
        return new DevApplication("""
                quarkus.lock.backend=jpa
                quarkus.lock.jpa.create-table=true
                quarkus.datasource.db-kind=%s
                quarkus.datasource.jdbc.url=%s
                quarkus.datasource.username=%s
                quarkus.datasource.password=%s
                """.formatted(server.kind(), server.url(), server.user(), server.password()), Orders.class);
    }

    QuarkusDevModeTest start() {
        return new QuarkusDevModeTest().withApplicationRoot(jar -> jar.addClasses(beans)
                .addAsResource(new StringAsset("""
                        quarkus.http.port=%d
                        quarkus.application.name=orders
                        quarkus.lock.wait=4s
                        quarkus.lock.overrides.pay.on-lost=notify
                        %s
                        """.formatted(port, settings)), "application.properties"));
    }

    String get(String path) throws Exception {
        return HTTP.send(HttpRequest.newBuilder(page(path)).build(), BodyHandlers.ofString()).body();
    }

    /** The answer of Dev MCP, be it a result or an error. */
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
