package io.quarkiverse.lock.redis.topology;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.Marker;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * For a JVM without a marker: checks whether others with the same key prefix have one, and would go on counting on a grace.
 * Checks with each connection and every few seconds, since they may have begun to. A marker that is gone does not mean that
 * they have gone: the server may have lost it, and their locks with it. Event loop only.
 */
final class LevelCheck implements Runnable {

    private static final Logger LOG = Logger.getLogger(LevelCheck.class);

    private final SingleServer server;
    private final RedisLockOptions options;
    private boolean refused;

    LevelCheck(SingleServer server, RedisLockOptions options) {
        this.server = server;
        this.options = options;
        scriptsLater(true);
    }

    /** No script runs before the first look at the server. */
    private void scriptsLater(boolean later) {
        server.connections().forEach(each -> each.scriptsLater(later));
    }

    @Override
    public void run() {
        server.send(new Look());
    }

    private void found(@Nullable Response level) {
        if (level != null) {
            RedisFailure why = RedisFailure.refused(RedisFailure.LEVEL + " " + level);
            if (!refused) {
                refused = true;
                LOG.error(new ErrorMessages(options).reason(why));
            }
            server.connections().forEach(each -> each.refuse(why));
        }
    }

    private final class Look extends Call {

        @Override
        public Request request() {
            return Request.cmd(Command.HGET).arg(Marker.key(options)).arg("level");
        }

        @Override
        public void answered(Response reply) {
            found(reply);
            scriptsLater(false);
        }

        @Override
        public void failed(RedisFailure failure) {
            LOG.debugf("Redis does not say which level this key prefix has: %s", failure.getMessage());
            if (failure.fate() == RedisFailure.Fate.REFUSED) {
                scriptsLater(false);
            }
        }
    }
}
