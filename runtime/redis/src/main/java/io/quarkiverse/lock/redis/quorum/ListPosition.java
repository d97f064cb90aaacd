package io.quarkiverse.lock.redis.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * How far a list has come: the servers already scanned, the one being scanned, and its cursor. Any majority of servers is
 * enough, since it shares a server with every majority that has a lock. Event loop only.
 */
final class ListPosition {

    static final String START = "0";

    private static final Pattern ONE = Pattern.compile("(\\d{1,3}):(\\w{1,64}):(\\d{1,15})");
    /** It repeats no group: on a long enough text, that would exhaust the thread's stack. */
    private static final Pattern TEXT = Pattern.compile("(\\d{1,20})@([\\w:]*)@([\\w:,]*)");

    /**
     * A server whose keys are scanned.
     *
     * @param server its place among the others
     * @param run the process: a cursor means nothing to any other
     * @param since when the scan began, by the server's clock in ms
     */
    record Look(int server, String run, long since) {

        private static Look of(String text) {
            Matcher parts = ONE.matcher(text);
            if (!parts.matches()) {
                throw new IllegalArgumentException(text);
            }
            return new Look(Integer.parseInt(parts.group(1)), parts.group(2), Long.parseLong(parts.group(3)));
        }

        @Override
        public String toString() {
            return server + ":" + run + ":" + since;
        }
    }

    private final List<Look> ended = new ArrayList<>();
    private @Nullable Look now;
    private String cursor = START;

    /**
     * The position where that continuation goes on; {@code null} if no list has ever ended there.
     *
     * @param servers the number of servers
     */
    static @Nullable ListPosition of(@Nullable String continuation, int servers) {
        var position = new ListPosition();
        if (continuation == null) {
            return position;
        }
        Matcher parts = TEXT.matcher(continuation);
        if (!parts.matches() || parts.group(2).isEmpty() && parts.group(3).isEmpty()) {
            return null;
        }
        try {
            position.cursor = Long.toUnsignedString(Long.parseUnsignedLong(parts.group(1)));
            position.now = parts.group(2).isEmpty() ? null : Look.of(parts.group(2));
            if (!parts.group(3).isEmpty()) {
                for (String each : parts.group(3).split(",", -1)) {
                    position.ended.add(Look.of(each));
                }
            }
        } catch (IllegalArgumentException e) {
            return null;
        }
        return position.isOf(servers) ? position : null;
    }

    /** A list ends with the majority. */
    private boolean isOf(int servers) {
        return (now == null || now.server < servers && !hasEnded(now.server)) && 2 * ended.size() < servers
                && ended.stream().allMatch(each -> each.server < servers)
                && ended.stream().map(Look::server).distinct().count() == ended.size();
    }

    /** The place of the server being scanned; -1 if the scan of another one is to begin. */
    int server() {
        return now == null ? -1 : now.server;
    }

    String cursor() {
        return cursor;
    }

    String run() {
        return now == null ? "" : now.run;
    }

    List<Look> ended() {
        return ended;
    }

    boolean hasEnded(int server) {
        return ended.stream().anyMatch(each -> each.server == server);
    }

    /** Another JVM may have another order of the servers. */
    boolean hasEnded(String run) {
        return ended.stream().anyMatch(each -> each.run.equals(run));
    }

    /** A step was made; if another process answered, it was the first one. */
    void step(int server, String run, String next, long at) {
        if (now == null || now.server != server || !now.run.equals(run)) {
            now = new Look(server, run, at);
        }
        cursor = next;
    }

    /** The server has no more. */
    void end() {
        if (now != null) {
            ended.add(now);
        }
        giveUp();
    }

    /** What was seen of the server does not count. */
    void giveUp() {
        now = null;
        cursor = START;
    }

    /** A continuation. */
    @Override
    public String toString() {
        return cursor + "@" + (now == null ? "" : now) + "@"
                + ended.stream().map(Look::toString).collect(Collectors.joining(","));
    }
}
