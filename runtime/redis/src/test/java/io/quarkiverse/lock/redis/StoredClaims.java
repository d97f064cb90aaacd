package io.quarkiverse.lock.redis;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.testkit.server.TinyRedis;

/** What Redis has of anybody: live holders, waiters, and more than one subscriber to a channel. */
final class StoredClaims {

    private StoredClaims() {
    }

    static List<String> of(TinyRedis redis) {
        var found = new ArrayList<String>();
        long now = Long.parseLong(redis.list("TIME").get(0)) * 1000;
        for (String key : redis.keys("lock:1:{*")) {
            List<String> hash = redis.list("HGETALL", key);
            for (int i = 0; i < hash.size(); i += 2) {
                String field = hash.get(i);
                String value = hash.get(i + 1);
                boolean expired = field.startsWith("h:") && Long.parseLong(value.substring(0, value.indexOf('|'))) <= now;
                if (field.startsWith("w:") || field.startsWith("h:") && !expired) {
                    found.add(key + " " + field + "=" + value);
                }
            }
        }
        for (String channel : redis.list("PUBSUB", "CHANNELS", "lock:1:jvm:*")) {
            int subscribers = Integer.parseInt(redis.list("PUBSUB", "NUMSUB", channel).get(1));
            if (subscribers != 1) {
                found.add(subscribers + " subscribers of " + channel);
            }
        }
        return found;
    }
}
