package io.quarkiverse.lock.redis;

import java.util.List;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** The channel of a JVM, read message by message. */
final class JvmChannel implements AutoCloseable {

    private final TinyRedis redis;

    JvmChannel(RedisServer server, String name) {
        redis = server.connect();
        redis.command("SUBSCRIBE", name);
    }

    /** The next message, except those that only ask whether anybody hears. */
    String message() {
        String message;
        do {
            message = (String) ((List<?>) redis.read()).get(2);
        } while (message.equals("P|0"));
        return message;
    }

    @Override
    public void close() {
        redis.close();
    }
}
