package io.quarkiverse.lock.redis;

import java.util.List;

import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.redis.client.Response;

/** Takes a name from whoever holds it. */
final class ForcedRelease extends ScriptCall {

    private final RedisLockBackend backend;
    private final String name;
    private final UniEmitter<? super Boolean> emitter;

    ForcedRelease(RedisLockBackend backend, String name, UniEmitter<? super Boolean> emitter) {
        super(Script.FORCE);
        this.backend = backend;
        this.name = name;
        this.emitter = emitter;
    }

    @Override
    List<String> keys() {
        return List.of(backend.keys().of(name));
    }

    @Override
    List<String> args() {
        return List.of(backend.retention(), backend.cluster());
    }

    @Override
    void answered(Response reply) {
        if (reply.get(0).toString().equals("FORMAT")) {
            emitter.fail(backend.explain().format(name, reply.get(1).toString()));
        } else {
            emitter.complete(reply.get(1).toInteger() > 0);
        }
    }

    @Override
    void failed(RedisFailure failure) {
        emitter.fail(backend.explain().failure(name, failure));
    }
}
