package io.quarkiverse.lock.redis.quorum;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptCall;

/** A call to one of the servers. The others do not wait for it, so without a connection it fails. */
abstract class ServerCall extends ScriptCall {

    final QuorumServer server;

    ServerCall(QuorumServer server, Script script) {
        super(script);
        this.server = server;
    }

    /** Not at once: the caller is iterating over the calls that wait. */
    @Override
    public final void delayed(RedisFailure why) {
        server.later(() -> fail(why));
    }
}
