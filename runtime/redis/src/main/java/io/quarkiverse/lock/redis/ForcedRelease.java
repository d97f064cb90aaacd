package io.quarkiverse.lock.redis;

import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** Takes a name from whoever holds it. */
final class ForcedRelease extends NameCall<Boolean> {

    ForcedRelease(RedisLockBackend backend, String name, Outcome<Boolean> outcome) {
        super(Script.FORCE, backend, name, outcome);
    }

    @Override
    Boolean read(Response reply) {
        return reply.get(1).toInteger() > 0;
    }
}
