package io.quarkiverse.lock.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** What the server runs: a file for each operation, and in front of it what it shares with others. */
public enum Script {

    ACQUIRE("head", "acquire-quick", "state", "holders", "waiters", "storage", "acquire"),
    TOGETHER("head", "state", "holders", "waiters", "storage", "together"),
    RELEASE("head", "release-quick", "state", "holders", "waiters", "storage", "release"),
    FORCE("head", "state", "holders", "waiters", "storage", "force"),
    INSPECT("head", "state", "holders", "waiters", "storage", "inspect"),
    KEEP("head", "state", "holders", "waiters", "storage", "keep"),
    ASK("head", "state", "holders", "waiters", "storage", "ask"),
    DOWNGRADE("head", "state", "holders", "waiters", "storage", "downgrade"),
    NOTE("head", "state", "holders", "waiters", "storage", "note"),
    LINE("head", "state", "holders", "waiters", "storage", "line"),
    RENEW("renew"),
    SCAN("scan");

    private static final String DIRECTORY = "/io/quarkiverse/lock/redis/";

    private final String text;
    private final String sha;

    Script(String... files) {
        var all = new StringBuilder();
        for (String file : files) {
            all.append(read(file + ".lua"));
        }
        text = all.toString();
        sha = sha1(text);
    }

    public String text() {
        return text;
    }

    /** Runs by name, which the server may have forgotten; {@code spelledOut} sends the text. */
    Request request(boolean spelledOut, List<String> keys, List<String> args) {
        Request request = spelledOut ? Request.cmd(Command.EVAL).arg(text) : Request.cmd(Command.EVALSHA).arg(sha);
        request.arg(keys.size());
        for (String key : keys) {
            request.arg(key);
        }
        for (String arg : args) {
            request.arg(arg);
        }
        return request;
    }

    /** Without the comments, which need not travel. */
    private static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(DIRECTORY + file)) {
            if (in == null) {
                throw new IllegalStateException("The resource " + DIRECTORY + file + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                    .collect(Collectors.joining("\n", "", "\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Not for security: it is how Redis names scripts. */
    private static String sha1(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * What {@code acquire.lua} says.
     *
     * @param fence of the grant; the last one of the name when there is none
     * @param nextExpiryMillis when the first of the holders may expire, from then
     * @param heldBy who is in the way; for {@code FORMAT}, which format that is
     * @param heldMillis for how long
     */
    public record AcquireReply(Status status, long fence, int waiters, long nextExpiryMillis, @Nullable String heldBy,
            long heldMillis) {

        public enum Status {
            GRANTED,
            QUEUED,
            BUSY,
            GONE,
            FORMAT
        }

        public static AcquireReply of(Response response) {
            Status status = Status.valueOf(response.get(0).toString());
            return switch (status) {
                case GRANTED -> new AcquireReply(status, fence(response.get(1)), response.get(2).toInteger(), 0, null, 0);
                case QUEUED, BUSY -> new AcquireReply(status, fence(response.get(1)), response.get(2).toInteger(),
                        response.get(3).toLong(), emptyToNull(response.get(4).toString()), response.get(5).toLong());
                case GONE -> new AcquireReply(status, 0, 0, 0, null, 0);
                case FORMAT -> new AcquireReply(status, 0, 0, 0, response.get(1).toString(), 0);
            };
        }

        public static long fence(Response response) {
            return Long.parseLong(response.toString());
        }

        private static @Nullable String emptyToNull(String owner) {
            return owner.isEmpty() ? null : owner;
        }
    }
}
