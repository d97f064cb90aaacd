package io.quarkiverse.lock.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Runs the scripts without the backend, and looks at what they leave. */
final class Store implements AutoCloseable {

    static final String KEY = "lock:1:{test:name}";
    static final long LEASE = 30_000;
    static final long RETENTION = 60_000;

    private static final Pattern DERIVED = Pattern.compile("[vey]|[abpiy]:.*");

    final TinyRedis redis;
    boolean cluster;

    Store(RedisServer server) {
        redis = server.connect();
    }

    List<Object> acquire(String claim, boolean waits) {
        return acquire(claim, "X", 0, "", waits);
    }

    List<Object> acquire(String claim, String mode, int limit, String channel, boolean waits) {
        return acquire(claim, mode, limit, channel, waits, "owner of " + claim);
    }

    List<Object> acquire(String claim, String mode, int limit, String channel, boolean waits, String owner) {
        return run(Script.ACQUIRE, claim, mode, "" + limit, channel, "" + LEASE, waits ? "1" : "0", owner);
    }

    List<Object> release(String claim) {
        return release(claim, 0);
    }

    List<Object> release(String claim, long refuseMillis) {
        return run(Script.RELEASE, claim, "" + refuseMillis);
    }

    List<Object> keep(String claim, long millis) {
        return run(Script.KEEP, claim, "" + millis, "0");
    }

    long renew(String claim) {
        return renew(claim, LEASE);
    }

    long renew(String claim, long lease) {
        return renew(claim, lease, "");
    }

    long renew(String claim, long lease, String channel) {
        return (Long) renewal(claim, lease, channel).get(0);
    }

    /** The ticket by which a renewal sent now tells how new its news is. */
    long ticket(String claim) {
        return (Long) renewal(claim, LEASE, "").get(1);
    }

    private List<Object> renewal(String claim, long lease, String channel) {
        return eval(Script.RENEW, List.of(KEY), List.of("" + RETENTION, channel, claim, "" + lease));
    }

    List<Object> downgrade(String claim) {
        return run(Script.DOWNGRADE, claim);
    }

    List<Object> newest() {
        return run(Script.NEWEST);
    }

    /** Takes the name from those that hold it now. */
    List<Object> force() {
        List<Object> known = newest();
        return force((String) known.get(known.size() - 1));
    }

    List<Object> force(String newest) {
        return run(Script.FORCE, newest);
    }

    List<Object> ask() {
        return run(Script.ASK);
    }

    List<Object> inspect() {
        return run(Script.INSPECT, "1000");
    }

    private List<Object> run(Script script, String... args) {
        var all = new ArrayList<>(List.of("" + RETENTION, cluster ? "1" : "0"));
        all.addAll(List.of(args));
        return eval(script, List.of(KEY), all);
    }

    @SuppressWarnings("unchecked")
    List<Object> eval(Script script, List<String> keys, List<String> args) {
        var words = new ArrayList<>(List.of("EVAL", script.text(), "" + keys.size()));
        words.addAll(keys);
        words.addAll(args);
        return (List<Object>) redis.command(words.toArray(String[]::new));
    }

    /** Holders, waiters, tombstones and the fence, without the data derived from them. */
    Map<String, String> hash() {
        var records = fields();
        records.keySet().removeIf(field -> DERIVED.matcher(field).matches());
        return records;
    }

    /** All of it. */
    Map<String, String> fields() {
        var hash = new LinkedHashMap<String, String>();
        List<String> all = redis.list("HGETALL", KEY);
        for (int i = 0; i < all.size(); i += 2) {
            hash.put(all.get(i), all.get(i + 1));
        }
        return hash;
    }

    String field(String name) {
        return redis.text("HGET", KEY, name);
    }

    /** One part of a holder or waiter, counted from 0. */
    String part(String field, int index) {
        return field(field).split("\\|", -1)[index];
    }

    /** Makes the first part of a field, a time, lie in the past. */
    void expire(String field) {
        end(field, 1);
    }

    /** Replaces the first part of a field, a time, and has the data derived from it rebuilt. */
    void end(String field, long millis) {
        redis.command("HSET", KEY, field, field(field).replaceFirst("^\\d+", "" + millis));
        if (field("v") != null) {
            redis.command("HSET", KEY, "v", "2|");
        }
    }

    /** Of the waiters. */
    long lastTicket() {
        return Long.parseLong(part("v", 2));
    }

    /** Lets the holders be told again that somebody waits. */
    void forgetHints() {
        String[] parts = field("v").split("\\|", -1);
        parts[7] = "0";
        redis.command("HSET", KEY, "v", String.join("|", parts));
    }

    long now() {
        List<String> time = redis.list("TIME");
        return Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000;
    }

    long fence() {
        return Long.parseLong(field("f"));
    }

    long ttl() {
        return redis.number("PTTL", KEY);
    }

    @Override
    public void close() {
        redis.close();
    }

    /** Runs what must work while the server refuses to store anything more. */
    void withoutMemory(Runnable body) {
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            body.run();
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }
}
