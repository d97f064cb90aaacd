package io.quarkiverse.lock.redis.connection;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.UUID;

import io.quarkiverse.lock.redis.script.ScriptArguments;

/**
 * Where messages for this JVM go: random for each start of the JVM, since machines get cloned with their configuration, and for
 * each process restored from a checkpoint. Any thread.
 */
public final class Channel {

    private static final int BYTES = 16;

    private final String prefix;
    private volatile String name;

    /** @param prefix of all keys and channels */
    public Channel(String prefix) {
        this.prefix = prefix;
        this.name = drawn();
    }

    public String name() {
        return name;
    }

    /** Another name from now on. */
    public void renew() {
        name = drawn();
    }

    /** From a seed, which the operating system makes: what a generator of the JDK makes next is copied with the process. */
    private String drawn() {
        ByteBuffer seed = ByteBuffer.wrap(new SecureRandom().generateSeed(BYTES));
        return ScriptArguments.channel(prefix, new UUID(seed.getLong(), seed.getLong()).toString());
    }
}
