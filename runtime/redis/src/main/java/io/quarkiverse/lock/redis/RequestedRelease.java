package io.quarkiverse.lock.redis;

import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.redis.client.Response;

/** Asks whoever holds a name to finish. */
final class RequestedRelease extends NameCall<Boolean> {

    RequestedRelease(RedisLockBackend backend, String name, UniEmitter<? super Boolean> emitter) {
        super(Script.ASK, backend, name, emitter);
    }

    @Override
    Boolean read(Response reply) {
        return reply.get(1).toInteger() > 0;
    }
}
