package io.quarkiverse.lock.redis.quorum;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.connection.Channel;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.spi.Claim;
import io.vertx.redis.client.Response;

/**
 * What a backend tells every script of a quorum. A name lies at {@code <key-prefix>q1:{<namespace>:<name>}}, apart from the
 * names of a single server, whose records are of another kind.
 */
final class QuorumKeys {

    private static final String KIND = "q";
    private static final long SHORTEST_TOMBSTONE = 60_000;

    /**
     * The servers that refuse this JVM, because others agreed on another longest lease. If a majority does so, this JVM is the
     * one that differs, and it must not be the first to give its value to a server that has lost its marker. Shared by all
     * backends of a JVM. Event loop only.
     */
    static final class Refusals {

        private final int majority;
        private final Map<QuorumServer, String> others = new HashMap<>(0);

        Refusals(int majority) {
            this.majority = majority;
        }

        /** @param reply of a script that looks at the marker */
        void heard(QuorumServer server, Response reply) {
            switch (reply.get(0).toString()) {
                case "LONGEST" -> others.put(server, reply.get(1).toString());
                case "GONE" -> {
                    // the script has not looked
                }
                default -> others.remove(server);
            }
        }

        private String behind(String longestLease) {
            return others.size() < majority ? longestLease : longestLease + " " + others.values().iterator().next();
        }
    }

    private final Refusals refusals;
    private final ScriptArguments arguments;
    private final String marker;
    private final Channel channel;
    private final long longestLease;

    /** @param channel where messages for this JVM go */
    QuorumKeys(QuorumOptions options, Refusals refusals, Channel channel, String namespace, String owner) {
        this.refusals = refusals;
        this.arguments = new ScriptArguments(new RedisLockOptions(options.keyPrefix() + KIND, options.operationTimeout(),
                retention(options), false, ""), namespace, owner);
        this.marker = options.keyPrefix() + KIND + "1:life";
        this.channel = channel;
        this.longestLease = options.longestLease().toMillis();
    }

    /**
     * A fence may come from the clock of another server, which is up to the longest lease ahead. A server that forgot the fence
     * sooner would offer its own clock, which is lower.
     */
    private static Duration retention(QuorumOptions options) {
        return options.retention().compareTo(options.longestLease()) < 0 ? options.longestLease() : options.retention();
    }

    static Channel channel(QuorumOptions options) {
        return new Channel(options.keyPrefix() + KIND);
    }

    String key(String name) {
        return arguments.key(name);
    }

    /** The name that has this {@link #key}; {@code null} if it is not one of ours. */
    @Nullable
    String name(String key) {
        return arguments.name(key);
    }

    /** Matches the keys of the names with a prefix, and maybe some others, but nothing else that lies beside them. */
    String pattern(String prefix) {
        return arguments.pattern(prefix) + "}";
    }

    private String waiting(String name) {
        return key(name) + ":w";
    }

    String tombstone(Claim claim) {
        return key(claim.name()) + ":" + claim.token();
    }

    /** The key of the marker, which says which life of the server its data are from. */
    String marker() {
        return marker;
    }

    List<String> ofName(String name) {
        return List.of(key(name), waiting(name));
    }

    List<String> ofNotes(String name) {
        return List.of(key(name), waiting(name), key(name) + ":o");
    }

    List<String> ofClaim(Claim claim) {
        return List.of(key(claim.name()), waiting(claim.name()), tombstone(claim));
    }

    List<String> ofAsk(Claim claim) {
        return List.of(key(claim.name()), waiting(claim.name()), tombstone(claim), marker);
    }

    Channel channel() {
        return channel;
    }

    /** What follows a claim in the line: its channel for messages, and its owner. The channel has no bar. */
    String place() {
        return channel.name() + "|" + owner();
    }

    String retention() {
        return arguments.retention();
    }

    String owner() {
        return arguments.owner();
    }

    String longestLease() {
        return String.valueOf(longestLease);
    }

    /** The same for a script that looks at the marker; see {@code quorum-life.lua}. */
    String toldLongestLease() {
        return refusals.behind(longestLease());
    }

    Refusals refusals() {
        return refusals;
    }

    /** Whether a server sits out long enough for this lease. */
    boolean covers(long leaseNanos) {
        return TimeUnit.NANOSECONDS.toMillis(leaseNanos) <= longestLease;
    }

    /** For how long a late request of a claim is refused. */
    String tombstoneMillis() {
        return String.valueOf(Math.max(SHORTEST_TOMBSTONE, longestLease));
    }
}
