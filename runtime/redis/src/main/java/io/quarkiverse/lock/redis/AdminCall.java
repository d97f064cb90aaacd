package io.quarkiverse.lock.redis;

import java.util.List;

import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/** A call that is about a name and no claim, made for an operator. */
abstract class AdminCall<T> extends ScriptCall {

    private final RedisLockBackend backend;
    private final Outcome<T> outcome;
    final String name;

    AdminCall(Script script, RedisLockBackend backend, String name, Outcome<T> outcome) {
        super(script);
        this.backend = backend;
        this.name = name;
        this.outcome = outcome;
    }

    abstract T read(Response reply);

    @Override
    final List<String> keys() {
        return List.of(backend.keys().of(name));
    }

    @Override
    final List<String> args() {
        return List.of(backend.retention(), backend.cluster());
    }

    @Override
    final void answered(Response reply) {
        if (reply.get(0).toString().equals("FORMAT")) {
            outcome.fail(backend.explain().format(name, reply.get(1).toString()));
        } else {
            outcome.complete(read(reply));
        }
    }

    @Override
    final void failed(RedisFailure failure) {
        outcome.fail(backend.explain().failure(name, failure));
    }
}
