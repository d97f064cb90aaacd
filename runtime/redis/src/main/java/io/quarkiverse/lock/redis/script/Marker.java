package io.quarkiverse.lock.redis.script;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.vertx.redis.client.Request;

/**
 * What each script that may grant is told if the server has a marker. A marker says which life of the server its data come
 * from; see {@code marker.lua}. Event loop only.
 */
public final class Marker {

    /** How far two clocks may drift apart in a lease, and what a server's resolution costs. */
    private static final long DRIFT_SHARE = 50;
    private static final long DRIFT_MILLIS = 100;

    private final String level;
    private final String key;
    private final long longest;
    private long formerGoesOn;
    private String incarnation = "";

    /**
     * @param level what all JVMs of a key prefix have to agree on, besides the longest lease
     * @param longestNanos the longest lease of any of them
     */
    public Marker(RedisLockOptions options, String level, long longestNanos) {
        this.level = level;
        this.key = key(options);
        this.longest = TimeUnit.NANOSECONDS.toMillis(longestNanos);
    }

    /** The key of the marker. */
    public static String key(RedisLockOptions options) {
        return options.keyPrefix() + "1:marker";
    }

    public String key() {
        return key;
    }

    /** Whether others have said the same as this JVM. */
    public boolean agreesWith(String level, String longestMillis) {
        return level.equals(this.level) && longestMillis.equals(String.valueOf(longest));
    }

    /** For how long a former master may go on granting behind a partition. Never decreases: any master so far may be one. */
    public void formerGoesOn(long millis) {
        formerGoesOn = Math.max(formerGoesOn, millis);
    }

    /** The life of the server that this JVM last heard of. */
    public String incarnation() {
        return incarnation;
    }

    public void incarnation(String now) {
        incarnation = now;
    }

    /** How long a grace lasts. */
    public long graceMillis() {
        return formerGoesOn + afterFormer();
    }

    /**
     * Whether a former master may go on when this much of a grace is left. It does not hear of a renewal at this server, and
     * grants the lock to somebody else when the lease that it knows of is over. So no renewal extends anything until then.
     */
    public boolean formerMayGoOn(long graceLeftMillis) {
        return graceLeftMillis > afterFormer();
    }

    /** How much of a grace follows the last grant of a former master. */
    private long afterFormer() {
        return longest + longest / DRIFT_SHARE + DRIFT_MILLIS;
    }

    /** @param known what the caller says about its hold, for a grace */
    Request request(Script script, boolean spelledOut, List<String> keys, List<String> args, List<String> known) {
        var allKeys = new ArrayList<String>(keys.size() + 1);
        allKeys.addAll(keys);
        allKeys.add(key);
        var allArgs = new ArrayList<String>(args.size() + known.size() + 3);
        allArgs.addAll(args);
        allArgs.addAll(known);
        allArgs.add(level);
        allArgs.add(String.valueOf(longest));
        allArgs.add(String.valueOf(graceMillis()));
        return script.markedRequest(spelledOut, allKeys, allArgs);
    }
}
