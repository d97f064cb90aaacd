package io.quarkiverse.lock.redis;

import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** Takes a name from whoever holds it. */
final class ForceReleaseCall extends AdminCall<Boolean> {

    ForceReleaseCall(RedisLockBackend backend, String name, Outcome<Boolean> outcome) {
        super(Script.FORCE, backend, name, outcome);
    }

    @Override
    Boolean read(Response reply) {
        return reply.get(1).toInteger() > 0;
    }
}
