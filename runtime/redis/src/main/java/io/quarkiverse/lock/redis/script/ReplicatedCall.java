package io.quarkiverse.lock.redis.script;

import io.vertx.redis.client.Response;

/** A call whose success counts, where replicas are asked for, only when enough of them have what it wrote. */
public abstract class ReplicatedCall extends ScriptCall {

    public ReplicatedCall(Script script) {
        super(script);
    }

    /** Whether this reply promises something. */
    public abstract boolean promises(Response reply);

    /** Instead of {@link #answered}: the server has done it, and not enough replicas are known to have it. */
    public abstract void unacknowledged(Response reply, RedisFailure why);

    public final void unacknowledge(Response reply, RedisFailure why) {
        if (!over()) {
            forget();
            unacknowledged(reply, why);
        }
    }
}
