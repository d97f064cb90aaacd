package io.quarkiverse.lock.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.PrintableDuration;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** The scripts that the server runs: a file for each operation, preceded by what it shares with others. */
public enum Script {

    ACQUIRE("head", "acquire-quick", "state", "holders", "waiters", "storage", "acquire"),
    TOGETHER("head", "state", "holders", "waiters", "storage", "together"),
    RELEASE("head", "release-quick", "state", "holders", "waiters", "storage", "release"),
    NEWEST("head", "state", "holders", "waiters", "storage", "newest"),
    FORCE("head", "state", "holders", "waiters", "storage", "force"),
    INSPECT("head", "state", "holders", "waiters", "storage", "inspect"),
    KEEP("head", "state", "holders", "waiters", "storage", "keep"),
    ASK("head", "state", "holders", "waiters", "storage", "ask"),
    DOWNGRADE("head", "state", "holders", "waiters", "storage", "downgrade"),
    NOTE("head", "state", "holders", "waiters", "storage", "note"),
    LINE("head", "state", "holders", "waiters", "storage", "line"),
    RENEW("renew"),
    SCAN("scan"),
    MARK("mark"),
    QUORUM_BEGIN("quorum-clock", "quorum-life", "quorum-begin"),
    QUORUM_ASK("quorum-clock", "quorum-life", "quorum-name", "quorum-ask"),
    QUORUM_WRITE("quorum-clock", "quorum-name", "quorum-write"),
    QUORUM_RENEW("quorum-renew"),
    QUORUM_REMIND("quorum-clock", "quorum-life", "quorum-remind"),
    QUORUM_FREE("quorum-clock", "quorum-name", "quorum-free"),
    QUORUM_FORCE("quorum-clock", "quorum-name", "quorum-force"),
    QUORUM_INSPECT("quorum-clock", "quorum-name", "quorum-inspect"),
    QUORUM_REQUEST("quorum-clock", "quorum-name", "quorum-request"),
    QUORUM_NOTE("quorum-clock", "quorum-name", "quorum-note"),
    QUORUM_LINE("quorum-clock", "quorum-name", "quorum-line"),
    QUORUM_SCAN("quorum-clock", "quorum-scan");

    private static final String DIRECTORY = "/io/quarkiverse/lock/redis/";

    private final String[] files;
    private volatile @Nullable Text text;

    Script(String... files) {
        this.files = files;
    }

    /** @param sha its name on the server */
    private record Text(String all, String sha) {
    }

    public String text() {
        return itsText().all;
    }

    /** Reads the scripts that each lock needs, so that the first lock need not wait for them. */
    public static void readThoseOfEachLock() {
        ACQUIRE.itsText();
        RELEASE.itsText();
        RENEW.itsText();
    }

    /** Read at first use: an application needs few of them, and none before it has started. */
    private Text itsText() {
        Text its = text;
        if (its == null) {
            String all = read(files);
            its = new Text(all, sha1(all));
            text = its;
        }
        return its;
    }

    /**
     * The script for a server with a marker: looks at that first, and in a grace does something else; see {@code marker.lua}.
     */
    public String markedText() {
        return Marked.of(this).text;
    }

    /** Runs the script by its name, which the server may have forgotten, or if {@code spelledOut}, by its text. */
    Request request(boolean spelledOut, List<String> keys, List<String> args) {
        Text its = itsText();
        return request(spelledOut ? Request.cmd(Command.EVAL).arg(its.all) : Request.cmd(Command.EVALSHA).arg(its.sha),
                keys, args);
    }

    /** Like {@link #request}, for a server with a marker. */
    Request markedRequest(boolean spelledOut, List<String> keys, List<String> args) {
        Marked marked = Marked.of(this);
        return request(spelledOut ? Request.cmd(Command.EVAL).arg(marked.text) : Request.cmd(Command.EVALSHA).arg(marked.sha),
                keys, args);
    }

    private static Request request(Request request, List<String> keys, List<String> args) {
        request.arg(keys.size());
        for (String key : keys) {
            request.arg(key);
        }
        for (String arg : args) {
            request.arg(arg);
        }
        return request;
    }

    /** Made when the first of them is sent, since most applications never send one. */
    private record Marked(String text, String sha) {

        private static final Map<Script, Marked> ALL = new ConcurrentHashMap<>();

        static Marked of(Script script) {
            return ALL.computeIfAbsent(script, Marked::make);
        }

        private static Marked make(Script script) {
            String inGrace = switch (script) {
                case ACQUIRE -> read("head", "state", "holders", "waiters", "storage", "grace", "acquire-grace", "acquire");
                case TOGETHER -> read("together-grace");
                case RELEASE -> read("head", "state", "holders", "waiters", "storage", "grace", "own", "release-grace",
                        "release");
                case KEEP -> read("head", "state", "holders", "waiters", "storage", "grace", "own", "keep-grace",
                        "keep");
                case DOWNGRADE -> read("head", "state", "holders", "waiters", "storage", "grace", "own", "downgrade");
                case FORCE -> read("head", "state", "holders", "waiters", "storage", "grace", "force-grace", "force");
                case RENEW -> read("head", "state", "holders", "waiters", "storage", "grace", "reclaim");
                case MARK -> "";
                case NEWEST, INSPECT, ASK, NOTE, LINE, SCAN, QUORUM_BEGIN, QUORUM_ASK, QUORUM_WRITE, QUORUM_RENEW,
                        QUORUM_REMIND, QUORUM_FREE, QUORUM_FORCE, QUORUM_INSPECT, QUORUM_REQUEST, QUORUM_NOTE,
                        QUORUM_LINE, QUORUM_SCAN ->
                    throw new IllegalArgumentException(script + " grants nothing");
            };
            // A function, because a script may have at most 200 variables, and so that the files in both halves do not mix
            String text = read("marker") + (inGrace.isEmpty() ? ""
                    : "local function inGrace()\n" + inGrace + "end\nif graceLeft > 0 then\nlocal reply = inGrace()\n"
                            + "reply[#reply + 1] = graceLeft\nreturn reply\nend\n")
                    + script.text();
            return new Marked(text, sha1(text));
        }
    }

    private static String read(String... files) {
        var all = new StringBuilder();
        for (String file : files) {
            all.append(readFile(file + ".lua"));
        }
        return all.toString();
    }

    /** Without the comments, which need not travel. */
    private static String readFile(String file) {
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
     * The reply of {@code acquire.lua}.
     *
     * @param fence the fence of the grant; without a grant, the last fence of the name
     * @param nextExpiryMillis how long after the reply the first of the holders may expire
     * @param heldBy who is in the way; for {@code FORMAT}, which format that is
     * @param heldMillis for how long
     * @param graceMillis how much of a grace is left, 0 if there is none
     */
    public record AcquireReply(Status status, long fence, int waiters, long nextExpiryMillis, @Nullable String heldBy,
            long heldMillis, long graceMillis) {

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
                case GRANTED -> new AcquireReply(status, fence(response.get(1)), response.get(2).toInteger(), 0, null, 0, 0);
                case QUEUED, BUSY -> new AcquireReply(status, fence(response.get(1)), response.get(2).toInteger(),
                        response.get(3).toLong(), emptyToNull(response.get(4).toString()), response.get(5).toLong(),
                        graceMillis(response, 6));
                case GONE -> new AcquireReply(status, 0, 0, 0, null, 0, graceMillis(response, 1));
                case FORMAT -> new AcquireReply(status, 0, 0, 0, response.get(1).toString(), 0, graceMillis(response, 2));
            };
        }

        /** It comes after everything else. */
        private static long graceMillis(Response response, int at) {
            return response.size() > at ? response.get(at).toLong() : 0;
        }

        /** Who is in the way, for people; {@code null} if that is not known. */
        public @Nullable String inTheWay() {
            if (heldBy != null) {
                return PrintableDuration.heldBy(heldBy, TimeUnit.MILLISECONDS.toNanos(heldMillis));
            }
            return graceMillis == 0 ? null
                    : "nobody, but no lock is granted for another " + PrintableDuration.of(Duration.ofMillis(graceMillis))
                            + ", as Redis may have lost locks (quarkus.lock.redis.after-failover=grace)";
        }

        public static long fence(Response response) {
            return Long.parseLong(response.toString());
        }

        private static @Nullable String emptyToNull(String owner) {
            return owner.isEmpty() ? null : owner;
        }
    }
}
