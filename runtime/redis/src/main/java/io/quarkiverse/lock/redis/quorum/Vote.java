package io.quarkiverse.lock.redis.quorum;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.spi.PrintableDuration;
import io.vertx.redis.client.Response;

/** The answers of the servers to one attempt of a claim. Event loop only. */
final class Vote {

    static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private static final String TRUE = "1";
    /** A claim in line at a majority is notified when the name is free; it asks again only in case a notification gets lost. */
    private static final long IN_LINE = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long COLLISION_PAUSE = TimeUnit.MILLISECONDS.toNanos(12);
    /** The precedence of a claim that was told to ask: as long as {@code PRECEDENCE} of {@code quorum-name.lua}. */
    private static final long PRECEDENCE = TimeUnit.MILLISECONDS.toNanos(50);

    private final int servers;
    private final int majority;
    private final List<QuorumServer> yes = new ArrayList<>(3);
    private final Map<QuorumServer, String> absent = new LinkedHashMap<>(0);
    private int taken;
    private int gone;
    /** Whether this claim is first in line at some server. */
    private boolean first;
    private long highest;
    private boolean granted;
    private @Nullable String holder;
    private long heldMillis;
    private long leftMillis;
    private int written;
    private int notWritten;

    Vote(int servers, int majority) {
        this.servers = servers;
        this.majority = majority;
    }

    void answered(QuorumServer server, Response reply, QuorumErrors errors) {
        switch (reply.get(0).toString()) {
            case "YES" -> {
                yes.add(server);
                highest = Math.max(highest, Long.parseLong(reply.get(1).toString()));
            }
            case "HELD" -> {
                taken++;
                first |= reply.get(1).toString().equals(TRUE);
                granted |= reply.get(5).toString().equals(TRUE);
                holder = reply.get(2).toString();
                heldMillis = reply.get(3).toLong();
                leftMillis = Math.max(leftMillis, reply.get(4).toLong());
            }
            case "KEPT" -> {
                taken++;
                first |= reply.get(1).toString().equals(TRUE);
                leftMillis = Math.max(leftMillis, reply.get(2).toLong());
            }
            case "OUT" -> absent.put(server, errors.sitsOut(reply.get(1).toLong()));
            case "LONGEST" -> absent.put(server, errors.otherLongest(reply.get(1).toString()));
            default -> gone++;
        }
    }

    void failed(QuorumServer server, String why) {
        absent.put(server, why);
    }

    void written(boolean has) {
        if (has) {
            written++;
        } else {
            notWritten++;
        }
    }

    void notWritten(QuorumServer server, String why) {
        absent.put(server, why);
        notWritten++;
    }

    List<QuorumServer> yes() {
        return yes;
    }

    /** The highest fence that a majority knows of. */
    long highest() {
        return highest;
    }

    boolean won() {
        return yes.size() >= majority;
    }

    /** A server that is away does not contradict: all the others may then be needed, however long they take. */
    boolean contradicted() {
        return taken + gone > 0;
    }

    /** Whatever the other answers are, there is no majority. */
    boolean undecidable() {
        return servers - taken - gone - absent.size() < majority;
    }

    /** No answer is missing any more. */
    boolean complete() {
        return yes.size() + taken + gone + absent.size() == servers;
    }

    int written() {
        return written;
    }

    boolean fenceWritten() {
        return written >= majority;
    }

    boolean fenceRefused(int asked) {
        return asked - notWritten < majority;
    }

    /** Whether others have it or are about to, as these servers see it. */
    boolean taken() {
        return taken > 0;
    }

    /** Whether somebody has a grant, rather than merely asking at the same time. */
    boolean granted() {
        return granted;
    }

    /** Others have so many servers that the rest is no majority. */
    boolean blocked() {
        return servers - taken < majority;
    }

    /** Too few servers take part for anybody to have a majority. */
    boolean tooFew() {
        return servers - absent.size() < majority;
    }

    /** What is wrong with each server that does not take part, if there are {@linkplain #tooFew too few} others. */
    Map<QuorumServer, String> absent() {
        return tooFew() ? absent : Map.of();
    }

    @Nullable
    String holder() {
        return holder;
    }

    /** For people. */
    @Nullable
    String heldBy() {
        return holder == null ? null : PrintableDuration.heldBy(holder, heldNanos());
    }

    long heldNanos() {
        return heldMillis * 1_000_000;
    }

    /**
     * In how many ns to ask again, where others have it or are about to.
     *
     * @param waits whether the claim waits, and so may be notified
     * @param collided with others who asked at the same time
     */
    long untilAskedAgain(boolean waits, boolean collided) {
        long jitter = ThreadLocalRandom.current().nextLong(COLLISION_PAUSE);
        if (collided) {
            // The first in line is notified by claims that give way, but not of what it gave back itself
            return !waits || first ? SHORTEST_PAUSE + jitter : PRECEDENCE + jitter;
        }
        long untilFree = SHORTEST_PAUSE + leftMillis * 1_000_000 + (first ? 0 : jitter);
        return Math.min(IN_LINE + ThreadLocalRandom.current().nextLong(IN_LINE), untilFree);
    }
}
