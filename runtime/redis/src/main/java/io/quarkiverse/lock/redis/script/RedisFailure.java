package io.quarkiverse.lock.redis.script;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/** Why a command has no result, and what that says about whether the server has run it. */
public final class RedisFailure extends Exception {

    private static final long serialVersionUID = 1L;

    /** How far the command got. */
    public enum Fate {
        /** It never left this JVM. */
        NOT_SENT,
        /** It left; whether the server has run it, runs it, or will do so later is not known. */
        NO_REPLY,
        /** The server answered with an error. */
        REFUSED
    }

    /** Not a code of the server: too few of its replicas have said that they have it. */
    static final String UNACKNOWLEDGED = "UNACKNOWLEDGED";

    /** Others with the same key prefix have said something else about what happens after a fail-over. */
    public static final String LEVEL = "LEVEL";
    /** The server cannot keep what grace promises. */
    static final String UNSAFE = "UNSAFE";
    /** The call was meant for another life of the server; see {@code marker.lua}. */
    public static final String INCARNATION = "INCARNATION";

    private static final Set<String> TEMPORARY = Set.of("READONLY", "LOADING", "MASTERDOWN", "BUSY", "TRYAGAIN", "CLUSTERDOWN",
            "NOREPLICAS", "MISCONF", "UNBLOCKED", "MOVED", "ASK", RedisFailure.UNACKNOWLEDGED);
    /** Errors before the first write of a script, or from a node that does not have the name. */
    private static final Set<String> NOTHING_RUN = Set.of("NOSCRIPT", "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "READONLY",
            "LOADING", "MASTERDOWN", "BUSY", "NOREPLICAS", "MISCONF", "NOAUTH", LEVEL, INCARNATION);
    private static final Set<String> HOPELESS = Set.of("NOAUTH", "WRONGPASS", "NOPERM", "OOM", LEVEL, UNSAFE);
    /** Redis 6 wraps what fails inside a script: "ERR Error running script (...): @user_script: 36: -READONLY ...". */
    private static final Pattern WRAPPED = Pattern
            .compile("\\b(READONLY|LOADING|MASTERDOWN|TRYAGAIN|CLUSTERDOWN|NOREPLICAS|MISCONF|NOAUTH|WRONGPASS|NOPERM|OOM)\\b");
    /** A right that a script lacks: the first two up to Redis 7.0, the last since 7.2, and with Valkey. */
    private static final Pattern FORBIDDEN = Pattern
            .compile("can't run this command|can't access at least one of the|^ERR ACL failure in script: ");

    private final Fate fate;
    private final String code;

    private RedisFailure(Fate fate, String code, String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.fate = fate;
        this.code = code;
    }

    public static RedisFailure notSent(String why, @Nullable Throwable cause) {
        return new RedisFailure(Fate.NOT_SENT, "", why, cause);
    }

    public static RedisFailure noReply(String why, @Nullable Throwable cause) {
        return new RedisFailure(Fate.NO_REPLY, "", why, cause);
    }

    public static RedisFailure refused(@Nullable String error) {
        String message = String.valueOf(error);
        return new RedisFailure(Fate.REFUSED, codeOf(message), message, null);
    }

    /** The server has run the call, but too few replicas have acknowledged it. */
    public static RedisFailure unacknowledged(int acks) {
        return new RedisFailure(Fate.REFUSED, UNACKNOWLEDGED, acks + (acks == 1 ? " has" : " have") + " acknowledged", null);
    }

    private static String codeOf(String message) {
        String first = message.split(" ", 2)[0];
        if (!first.equals("ERR")) {
            return first;
        }
        if (message.contains("unauthenticated")) {
            // How Redis refuses a command with many arguments from a client that has not authenticated
            return "NOAUTH";
        }
        if (message.startsWith("ERR WAIT cannot be used with replica")) {
            return "READONLY"; // as it answers to whatever would write
        }
        Matcher wrapped = WRAPPED.matcher(message);
        if (wrapped.find()) {
            return wrapped.group(1);
        }
        return FORBIDDEN.matcher(message).find() ? "NOPERM" : first;
    }

    public Fate fate() {
        return fate;
    }

    /** The first word of the server's error; empty when it has not answered. */
    public String code() {
        return code;
    }

    /** The same, or where there was no connection, what the server has said to that; empty if it has said nothing. */
    public String rootCode() {
        return fate == Fate.REFUSED ? code : causeCode();
    }

    /** The same request may succeed later without anybody doing anything. */
    public boolean temporary() {
        return fate != Fate.REFUSED ? !HOPELESS.contains(causeCode()) : TEMPORARY.contains(code);
    }

    /** The server has certainly changed nothing. */
    public boolean nothingRun() {
        return fate == Fate.REFUSED && NOTHING_RUN.contains(code);
    }

    /** Somebody has to change something before a request of this kind can succeed. */
    public boolean hopeless() {
        return HOPELESS.contains(rootCode());
    }

    /** Our scripts cannot read what is stored there. */
    public boolean ofRecord() {
        return fate == Fate.REFUSED && (code.equals("WRONGTYPE") || code.equals("ERR"));
    }

    private String causeCode() {
        return getCause() instanceof RedisFailure cause ? cause.code : "";
    }
}
