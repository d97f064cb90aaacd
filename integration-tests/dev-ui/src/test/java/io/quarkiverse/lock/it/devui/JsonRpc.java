package io.quarkiverse.lock.it.devui;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Calls what the pages of the Dev UI call, over the same websocket. */
final class JsonRpc implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PATIENCE = 60; // seconds

    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final WebSocket socket;
    private int calls;

    JsonRpc(HttpClient http, URI address) {
        socket = http.newWebSocketBuilder().buildAsync(address, new WebSocket.Listener() {

            private final StringBuilder text = new StringBuilder();

            @Override
            public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
                text.append(part);
                if (last) {
                    answers.add(text.toString());
                    text.setLength(0);
                }
                from.request(1);
                return null;
            }
        }).join();
    }

    /** The result of one of the extension's methods; a stream answers with its first item. */
    JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        int id = ++calls;
        socket.sendText(JSON.writeValueAsString(Map.of("jsonrpc", "2.0", "id", id, "method", method, "params", parameters)),
                true).join();
        while (true) {
            String answer = answers.poll(PATIENCE, TimeUnit.SECONDS);
            if (answer == null) {
                throw new AssertionError("No answer to " + method);
            }
            JsonNode read = JSON.readTree(answer);
            if (read.path("id").asInt() == id && read.has("error")) {
                throw new AssertionError(method + ": " + answer);
            }
            if (read.path("id").asInt() == id && !read.path("result").path("messageType").asText().equals("Void")) {
                return read.get("result").get("object");
            }
        }
    }

    @Override
    public void close() {
        socket.abort();
    }
}
