package io.quarkiverse.lock.memcached;

import java.time.Duration;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Grant;

/**
 * The value that memcached has under the key of a lock while somebody holds it.
 *
 * @param fence 0 until it has been counted
 * @param since when it was taken, in ms by its holder's wall clock: only displayed, and decides nothing
 * @param until when its lease ends, likewise
 */
record Item(String token, long fence, long since, long until, String owner) {

    static Item of(String text) {
        String[] parts = text.split(" ", 5);
        return new Item(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]), Long.parseLong(parts[3]), parts[4]);
    }

    String text() {
        return token + ' ' + fence + ' ' + since + ' ' + until + ' ' + owner;
    }

    Item with(long fence, long until) {
        return new Item(token, fence, since, until, owner);
    }

    LockInfo.Holder holder(long now) {
        return new LockInfo.Holder(owner, Grant.firstToken(fence), LockMode.EXCLUSIVE, 0,
                Duration.ofMillis(Math.max(0, now - since)), Duration.ofMillis(Math.max(0, until - now)));
    }
}
