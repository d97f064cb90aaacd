package io.quarkiverse.lock.redis.quorum;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Finds clients that lead to the same server, as through two names of its host: if it failed, the quorum would lose several
 * votes. Each new connection asks for the run id of its server, and such clients are reported once. Event loop only.
 */
final class ServerRuns {

    private static final Logger LOG = Logger.getLogger(ServerRuns.class);
    private static final String FIELD = "run_id:";

    /** The run ids of the connected servers, by the properties of their clients. */
    private final Map<String, String> runs = new LinkedHashMap<>();
    private final Set<String> reported = new HashSet<>();

    /** What a new connection asks its server. */
    Call question(String properties) {
        return new WhichRun(properties);
    }

    /** The next connection may lead elsewhere. */
    void disconnected(String properties) {
        runs.remove(properties);
    }

    private void found(String properties, String run) {
        runs.remove(properties);
        runs.forEach((other, its) -> {
            if (its.equals(run) && (reported.add(other) | reported.add(properties))) {
                LOG.errorf("%shosts and %shosts lead to the same Redis server: if it fails, the quorum loses several votes at "
                        + "once, and maybe its majority. Give each client of quarkus.lock.redis.quorum a server of its own",
                        other, properties);
            }
        });
        runs.put(properties, run);
    }

    private final class WhichRun extends Call {

        private final String properties;

        WhichRun(String properties) {
            this.properties = properties;
        }

        @Override
        public Request request() {
            return Request.cmd(Command.INFO).arg("server");
        }

        @Override
        public void answered(Response reply) {
            reply.toString().lines().filter(line -> line.startsWith(FIELD)).findFirst()
                    .ifPresent(line -> found(properties, line.substring(FIELD.length()).strip()));
        }

        @Override
        public void failed(RedisFailure failure) {
            LOG.debugf("Redis (%shosts) does not say which process it is: %s", properties, failure.getMessage());
        }
    }
}
