package io.quarkiverse.lock.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a lock node says of who made it, to people: the first line describes the JVM, the second has the lease in ms. A node
 * that one of Curator's recipes has made has an address and no second line.
 */
record Data(String owner, long leaseMillis) {

    static byte[] of(String owner, long leaseMillis) {
        return (owner.replace('\n', ' ') + '\n' + leaseMillis).getBytes(StandardCharsets.UTF_8);
    }

    static Data of(byte @Nullable [] data) {
        String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        if (end < 0) {
            return new Data(text.isBlank() ? "an unknown client" : text, 0);
        }
        try {
            return new Data(text.substring(0, end), Long.parseLong(text.substring(end + 1)));
        } catch (NumberFormatException e) {
            return new Data(text, 0);
        }
    }

    Duration lease() {
        return Duration.ofMillis(leaseMillis);
    }
}
