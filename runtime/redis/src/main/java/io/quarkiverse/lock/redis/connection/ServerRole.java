package io.quarkiverse.lock.redis.connection;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.RedisFailure;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Whether a server is a master, according to its own reply to {@code HELLO}, which no access rule can forbid, unlike
 * {@code ROLE}.
 */
public final class ServerRole {

    private ServerRole() {
    }

    public static Request question() {
        return Request.cmd(Command.HELLO);
    }

    /** Why no lock may be requested from a server with this answer; {@code null} if it is a master, or does not say. */
    public static @Nullable RedisFailure refusal(@Nullable Response reply) {
        Response role = reply != null && reply.type() == ResponseType.MULTI ? reply.get("role") : null;
        return role == null || role.toString().equals("master") ? null
                : RedisFailure.refused("READONLY the server says that it is a " + role);
    }
}
