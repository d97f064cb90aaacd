package io.quarkiverse.lock.it.management;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import org.eclipse.microprofile.config.ConfigProvider;

import io.vertx.core.json.JsonObject;

/** Somebody who can reach the management interface. Immutable. */
record Operator(List<String> headers) {

    /** A user that nobody knows. */
    static final Operator ANONYMOUS = new Operator(List.of());
    static final Operator KNOWN = ANONYMOUS.withPassword("secret");

    Operator withPassword(String password) {
        return withUser("olga", password);
    }

    Operator withUser(String user, String password) {
        return with("Authorization", "Basic "
                + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)));
    }

    Operator with(String header, String value) {
        List<String> more = new ArrayList<>(headers);
        more.add(header);
        more.add(value);
        return new Operator(List.copyOf(more));
    }

    /** With the header that a page of another site cannot send. */
    Operator withHeader() {
        return with("X-Quarkus-Lock", "test");
    }

    HttpResponse<String> get(String path) {
        return send("GET", path, null);
    }

    JsonObject json(String path) {
        return new JsonObject(get(path).body());
    }

    /** As {@code curl --data-urlencode name=...} does. */
    HttpResponse<String> post(String path, String name) {
        return with("Content-Type", "application/x-www-form-urlencoded").send("POST", path, "name=" + encoded(name));
    }

    HttpResponse<String> send(String method, String path, String body) {
        int port = ConfigProvider.getConfig().getValue("quarkus.management.test-port", Integer.class);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        try {
            return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
        } catch (Exception e) {
            throw new AssertionError(method + " " + path, e);
        }
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
