package io.quarkiverse.lock.testkit.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One connection to Redis for tests that inspect the store, or tamper with it, without the library under test. For one thread
 * at a time.
 *
 * <pre>{@code
 * try (TinyRedis redis = server.connect()) {
 *     assertThat(redis.keys("quarkus-lock:*")).isEmpty();
 * }
 * }</pre>
 */
public final class TinyRedis implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 10_000;

    private final Socket socket;
    private final InputStream in;

    /** Connects, within 10 seconds. */
    public TinyRedis(String host, int port) {
        try {
            socket = new Socket();
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How long {@link #command} and {@link #read} wait for a reply; 10 seconds by default. */
    public TinyRedis timeout(Duration timeout) {
        try {
            socket.setSoTimeout((int) timeout.toMillis());
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sends a command and reads its reply: a {@code String}, a {@code Long}, a {@code List} of replies, or {@code null}.
     *
     * @throws ErrorReply if Redis answers with an error
     */
    public @Nullable Object command(String... words) {
        send(words);
        return read();
    }

    /** {@link #command} for a reply that is text, or {@code null}. */
    public @Nullable String text(String... words) {
        return (String) command(words);
    }

    /** {@link #command} for a reply that is a number. */
    public long number(String... words) {
        Object reply = command(words);
        if (reply instanceof Long number) {
            return number;
        }
        throw new IllegalStateException(words[0] + " did not reply with a number, but with " + reply);
    }

    /** {@link #command} for a reply that is a list of texts. */
    public List<String> list(String... words) {
        Object reply = command(words);
        if (reply instanceof List<?> list) {
            return list.stream().map(String::valueOf).toList();
        }
        throw new IllegalStateException(words[0] + " did not reply with a list, but with " + reply);
    }

    /** The keys that match a pattern. */
    public List<String> keys(String pattern) {
        return list("KEYS", pattern);
    }

    /** A field of {@code INFO}, or {@code null}. */
    public @Nullable String info(String field) {
        for (String line : String.valueOf(command("INFO", "all")).split("\r\n")) {
            if (line.startsWith(field + ":")) {
                return line.substring(field.length() + 1);
            }
        }
        return null;
    }

    /** Sends a command without reading a reply: for subscriptions, and for servers that do not answer. */
    public void send(String... words) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(ascii("*" + words.length + "\r\n"));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            out.writeBytes(ascii("$" + bytes.length + "\r\n"));
            out.writeBytes(bytes);
            out.writeBytes(ascii("\r\n"));
        }
        try {
            out.writeTo(socket.getOutputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the next reply or message. */
    public @Nullable Object read() {
        try {
            Object reply = readReply();
            if (reply instanceof ErrorReply error) {
                throw error;
            }
            return reply;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private @Nullable Object readReply() throws IOException {
        String line = readLine();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case '-' -> new ErrorReply(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> readText(Integer.parseInt(rest));
            case '*' -> readList(Integer.parseInt(rest));
            default -> throw new IOException("Not a reply of Redis: " + line);
        };
    }

    private @Nullable String readText(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        readLine();
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> readList(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        var list = new ArrayList<@Nullable Object>(length);
        for (int i = 0; i < length; i++) {
            list.add(readReply());
        }
        return list;
    }

    private String readLine() throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("Redis has closed the connection");
            }
            line.append((char) c);
        }
        in.read();
        return line.toString();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Redis answered with an error. */
    public static final class ErrorReply extends RuntimeException {

        private static final long serialVersionUID = 1L;

        ErrorReply(String message) {
            super(message);
        }
    }
}
