package io.quarkiverse.lock.redis;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** {@code ASKING}: a node takes a call for a slot that is on its way to it only right behind this command. */
final class Asking extends Call {

    private Asking() {
    }

    /** Sends the command if the call needs it. */
    static void before(Call call, CommandConnection commands) {
        if (call.behindAsking) {
            call.behindAsking = false;
            commands.send(new Asking());
        }
    }

    @Override
    Request request() {
        return Request.cmd(Command.ASKING);
    }

    @Override
    void answered(Response reply) {
    }

    @Override
    void failed(RedisFailure failure) {
        // The call behind it fails, too, and says so.
    }
}
