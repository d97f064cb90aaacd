package io.quarkiverse.lock.it;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.Leash;
import io.quarkiverse.lock.testkit.server.FreePort;

/** Headless Chromium, driven through chromedriver by plain HTTP. */
public final class Browser implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration START = Duration.ofSeconds(60);
    private static final List<String> ARGUMENTS = List.of("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1240,860");

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI driver;
    private final Leash leash;
    private final String session;

    public Browser() throws Exception {
        int port = FreePort.find();
        driver = URI.create("http://localhost:" + port);
        Process process = new ProcessBuilder("chromedriver", "--port=" + port).redirectErrorStream(true)
                .redirectOutput(Redirect.to(new File("target/chromedriver.log"))).start();
        leash = Leash.on(process);
        Await.until("chromedriver answers", START, this::ready);
        Path profile = Files.createTempDirectory(Path.of("target"), "chromium-").toAbsolutePath();
        List<String> arguments = new ArrayList<>(ARGUMENTS);
        arguments.add("--user-data-dir=" + profile);
        session = post("/session", Map.of("capabilities", Map.of("alwaysMatch", Map.of("browserName", "chrome",
                "goog:chromeOptions", Map.of("args", arguments))))).get("sessionId").asText();
    }

    public void open(URI page) throws Exception {
        command("/url", Map.of("url", page.toString()));
    }

    public void click(String selector) throws Exception {
        JsonNode element = command("/element", Map.of("using", "css selector", "value", selector));
        command("/element/" + element.elements().next().asText() + "/click", Map.of());
    }

    /** The value of a JavaScript expression in the page. */
    public JsonNode evaluate(String expression) throws Exception {
        return command("/execute/sync", Map.of("script", "return " + expression, "args", List.of()));
    }

    public String text(String id) throws Exception {
        return evaluate("document.getElementById('" + id + "').textContent").asText();
    }

    public void screenshot(Path file) throws Exception {
        String image = send(HttpRequest.newBuilder(driver.resolve("/session/" + session + "/screenshot")).build()).asText();
        Files.createDirectories(file.getParent());
        Files.write(file, Base64.getDecoder().decode(image));
    }

    @Override
    public void close() throws Exception {
        try {
            send(HttpRequest.newBuilder(driver.resolve("/session/" + session)).DELETE().build());
        } finally {
            leash.close();
        }
    }

    private JsonNode command(String path, Map<String, ?> body) throws Exception {
        return post("/session/" + session + path, body);
    }

    private JsonNode post(String path, Map<String, ?> body) throws Exception {
        return send(HttpRequest.newBuilder(driver.resolve(path)).header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(JSON.writeValueAsString(body))).build());
    }

    private JsonNode send(HttpRequest request) throws Exception {
        var response = http.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(request.uri() + ": " + response.body());
        }
        return JSON.readTree(response.body()).get("value");
    }

    private boolean ready() throws Exception {
        try {
            return send(HttpRequest.newBuilder(driver.resolve("/status")).build()).get("ready").asBoolean();
        } catch (IOException e) {
            return false;
        }
    }
}
