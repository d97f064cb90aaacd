package io.quarkiverse.lock.redis.script;

import org.jspecify.annotations.Nullable;

import io.vertx.redis.client.Response;

/**
 * What {@code acquire.lua} says.
 *
 * @param fence of the grant; the last one of the name when there is none
 * @param nextExpiryMillis when the first of the holders may expire, from then
 * @param heldBy who is in the way and for how long; for {@code FORMAT}, which format that is
 */
public record AcquireReply(Status status, long fence, int waiters, long nextExpiryMillis, @Nullable String heldBy) {

    public enum Status {
        GRANTED,
        QUEUED,
        BUSY,
        GONE,
        FORMAT
    }

    public static AcquireReply of(Response response) {
        Status status = Status.valueOf(response.get(0).toString());
        return switch (status) {
            case GRANTED -> new AcquireReply(status, fence(response.get(1)), response.get(2).toInteger(), 0, null);
            case QUEUED, BUSY -> new AcquireReply(status, fence(response.get(1)), response.get(2).toInteger(),
                    response.get(3).toLong(), heldBy(response.get(4).toString(), response.get(5).toLong()));
            case GONE -> new AcquireReply(status, 0, 0, 0, null);
            case FORMAT -> new AcquireReply(status, 0, 0, 0, response.get(1).toString());
        };
    }

    public static long fence(Response response) {
        return Long.parseLong(response.toString());
    }

    private static @Nullable String heldBy(String owner, long millis) {
        return owner.isEmpty() ? null : owner + " for " + millis / 1000 + "." + millis % 1000 / 100 + " s";
    }
}
