package io.quarkiverse.lock.redis.connection;

import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** {@code ASKING}: a node takes a call for a slot that is migrating to it only right after this command. */
final class Asking extends Call {

    @Override
    public Request request() {
        return Request.cmd(Command.ASKING);
    }

    @Override
    public void answered(Response reply) {
    }

    @Override
    public void failed(RedisFailure failure) {
        // The call after it fails too, and says so.
    }
}
