package io.quarkiverse.lock.redis;

import io.vertx.redis.client.Response;

/** A call whose success counts, where replicas are asked for, only when enough of them have what it wrote. */
abstract class ReplicatedCall extends ScriptCall {

    ReplicatedCall(Script script) {
        super(script);
    }

    /** Whether this reply promises something. */
    abstract boolean promises(Response reply);

    /** Instead of {@link #answered}: the server has done it, and not enough replicas are known to have it. */
    abstract void unacknowledged(Response reply, RedisFailure why);

    final void unacknowledge(Response reply, RedisFailure why) {
        if (!over()) {
            forget();
            unacknowledged(reply, why);
        }
    }
}
