package io.quarkiverse.lock.redis;

import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.redis.client.Response;

/** Takes a name from whoever holds it. */
final class ForcedRelease extends NameCall<Boolean> {

    ForcedRelease(RedisLockBackend backend, String name, UniEmitter<? super Boolean> emitter) {
        super(Script.FORCE, backend, name, emitter);
    }

    @Override
    Boolean read(Response reply) {
        return reply.get(1).toInteger() > 0;
    }
}
