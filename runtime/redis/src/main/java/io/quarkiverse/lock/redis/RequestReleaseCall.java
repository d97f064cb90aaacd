package io.quarkiverse.lock.redis;

import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** Asks whoever holds a name to finish. */
final class RequestReleaseCall extends AdminCall<Boolean> {

    RequestReleaseCall(RedisLockBackend backend, String name, Outcome<Boolean> outcome) {
        super(Script.ASK, backend, name, outcome);
    }

    @Override
    Boolean read(Response reply) {
        return reply.get(1).toInteger() > 0;
    }
}
