package io.quarkiverse.lock.redis.topology;

import java.util.Optional;
import java.util.function.Consumer;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.redis.connection.Channel;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Warns about problems of a server: it looks with each connection, in the background, and warns once. Event loop only. */
public final class ServerChecks {

    private static final Logger LOG = Logger.getLogger(ServerChecks.class);

    private final RedisLockOptions options;
    private final Channel channel;
    private boolean saidMessages;
    private boolean saidEviction;

    public ServerChecks(RedisLockOptions options, Channel channel) {
        this.options = options;
        this.channel = channel;
    }

    /** @param server sends a call over the new connection: what was found elsewhere says nothing about its server */
    public void run(Consumer<Call> server) {
        server.accept(new MaySendMessages());
        server.accept(new MayEvict());
    }

    private final class MaySendMessages extends Call {

        @Override
        public Request request() {
            return Request.cmd(Command.PUBLISH).arg(channel.name()).arg(SubscriptionProbe.PING + 0);
        }

        @Override
        public void answered(Response reply) {
        }

        @Override
        public void failed(RedisFailure failure) {
            if (failure.code().equals("NOPERM") && !saidMessages) {
                saidMessages = true;
                LOG.warnf("The user of %shosts is not allowed to publish to Redis channels (%s). Locks work, but waiting "
                        + "callers learn up to a second late that a lock is free, and holders in other JVMs learn only with "
                        + "their next renewal of a release that is requested or forced here. Allow it, for instance with "
                        + "ACL SETUSER <user> +publish +subscribe resetchannels &%s*", options.properties(),
                        failure.getMessage(),
                        options.keyPrefix());
            }
        }
    }

    private final class MayEvict extends Call {

        private static final String FIELD = "maxmemory_policy:";

        @Override
        public Request request() {
            return Request.cmd(Command.INFO).arg("memory");
        }

        @Override
        public void answered(Response reply) {
            Optional<String> policy = reply.toString().lines()
                    .filter(line -> line.startsWith(FIELD))
                    .map(line -> line.substring(FIELD.length()).strip())
                    .findFirst();
            if (policy.isPresent() && !policy.get().equals("noeviction") && !saidEviction) {
                saidEviction = true;
                LOG.warnf("Redis (%shosts) has maxmemory-policy %s: when its memory is full it may delete locks that are held. "
                        + "Set maxmemory-policy to noeviction, or keep locks in a Redis of their own "
                        + "(quarkus.lock.redis.client-name)", options.properties(), policy.get());
            }
        }

        @Override
        public void failed(RedisFailure failure) {
            LOG.debugf("Redis does not say what its maxmemory-policy is: %s", failure.getMessage());
        }
    }
}
