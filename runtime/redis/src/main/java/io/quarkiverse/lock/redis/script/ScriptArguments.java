package io.quarkiverse.lock.redis.script;

import java.util.concurrent.TimeUnit;

import io.quarkiverse.lock.spi.Claim;

/** What a backend tells each script alike: where names lie, how long their records are kept, and who asks. */
public final class ScriptArguments {

    private final Keys keys;
    private final String retention;
    private final String cluster;
    private final String owner;
    private final boolean mayShareWrite;

    public ScriptArguments(RedisLockOptions options, String namespace, String owner) {
        this.keys = new Keys(options.keyPrefix(), namespace);
        this.retention = String.valueOf(options.retention().toMillis());
        this.cluster = options.cluster() ? "1" : "0";
        this.owner = owner;
        this.mayShareWrite = !options.cluster();
    }

    public String key(String name) {
        return keys.of(name);
    }

    /** How long a record outlives what is in it, in milliseconds. */
    public String retention() {
        return retention;
    }

    /** {@code 1} in a cluster. */
    public String cluster() {
        return cluster;
    }

    /** Describes this JVM to people. */
    public String owner() {
        return owner;
    }

    /** Whether calls may share one write; in a cluster they would all have to be for one slot. */
    public boolean mayShareWrite() {
        return mayShareWrite;
    }

    /** One more than asked for: the server counts in whole milliseconds, and must not be the first whose lease ends. */
    public static String millis(long nanos) {
        return String.valueOf(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
    }

    /** {@code X}, {@code S} or {@code L}. */
    public static String mode(Claim claim) {
        if (claim.limit() > 0) {
            return "L";
        }
        return switch (claim.mode()) {
            case EXCLUSIVE -> "X";
            case SHARED -> "S";
        };
    }
}
