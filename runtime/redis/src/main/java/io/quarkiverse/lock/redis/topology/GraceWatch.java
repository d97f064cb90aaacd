package io.quarkiverse.lock.redis.topology;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.redis.connection.ConnectionListeners;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.Marker;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Looks at a server with a marker before any script runs there, and every few seconds. It finds out for how long a replaced
 * master goes on, and whether there is a grace. All holds are renewed when a grace begins. Event loop only.
 */
final class GraceWatch implements Runnable {

    private static final Logger LOG = Logger.getLogger(GraceWatch.class);

    private static final Pattern REPLICAS = Pattern.compile("connected_slaves:(\\d+)");
    /** Present only where min-replicas-to-write is set. */
    private static final String COUNTS_REPLICAS = "min_slaves_good_slaves:";
    private static final Pattern VERSION = Pattern.compile("redis_version:(\\d+)\\.(\\d+)\\.(\\d+)");
    /** The first version whose scripts obey min-replicas-to-write too: redis/redis#10160. */
    private static final int[] STOPS_SCRIPTS = { 6, 2, 7 };
    private static final String TOO_OLD = "UNSAFE its version is older than 6.2.7, in which min-replicas-to-write does not "
            + "apply to scripts. quarkus.lock.redis.after-failover=grace needs that from a server with replicas: otherwise a "
            + "master that has been replaced without noticing keeps granting locks. Upgrade it";
    private static final Pattern TO_WRITE = Pattern.compile("min-replicas-to-write\\W+(\\d+)");
    private static final Pattern MAX_LAG = Pattern.compile("min-replicas-max-lag\\W+(\\d+)");
    /** A master counts its replicas once a second, and they report once a second. */
    private static final long COUNTING_MILLIS = 2_000;
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(500);
    /** How much later the end of a grace may appear in a reply without it being another grace. */
    private static final long SAME = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final SingleServer server;
    private final RedisLockOptions options;
    private final Marker marker;
    private final boolean sentinels;
    private final ConnectionListeners listeners;
    private boolean refused;
    /**
     * The marker has other settings than this JVM, which must not begin a grace of its own length, as others would have to
     * follow it. So this only reads the marker until the two agree.
     */
    private boolean disagrees;
    private boolean inGrace;
    private long until;

    GraceWatch(EventLoop loop, SingleServer server, RedisLockOptions options, Marker marker, boolean sentinels,
            ConnectionListeners listeners) {
        this.loop = loop;
        this.server = server;
        this.options = options;
        this.marker = marker;
        this.sentinels = sentinels;
        this.listeners = listeners;
        server.connections().forEach(each -> each.scriptsLater(true));
    }

    @Override
    public void run() {
        if (disagrees) {
            server.send(new Look(Request.cmd(Command.HMGET).arg(marker.key()).arg("level").arg("longest")) {
                @Override
                public void answered(Response reply) {
                    if (marker.agreesWith(String.valueOf(reply.get(0)), String.valueOf(reply.get(1)))) {
                        disagrees = false;
                        GraceWatch.this.run();
                    }
                }
            });
            return;
        }
        server.send(new Look(Request.cmd(Command.INFO)) {
            @Override
            public void answered(Response reply) {
                int replicas = (int) number(REPLICAS, reply);
                // A master that was just promoted may have no replicas yet, while a former master still goes on
                boolean replicated = replicas > 0 || sentinels || reply.toString().contains(COUNTS_REPLICAS);
                if (replicated && !stopsScripts(reply.toString())) {
                    refuse(RedisFailure.refused(TOO_OLD));
                } else if (replicated) {
                    lookAtRules(replicas);
                } else {
                    accept();
                }
            }
        });
    }

    /** Looks at what stops a master that has been cut off. */
    private void lookAtRules(int replicas) {
        server.send(new Look(Request.cmd(Command.CONFIG).arg("GET").arg("min-replicas-*")) {
            @Override
            public void answered(Response reply) {
                long toWrite = number(TO_WRITE, reply);
                long lag = number(MAX_LAG, reply);
                long needed = Math.max(1, replicas);
                if (toWrite < needed || lag <= 0) {
                    refuse(RedisFailure.refused("UNSAFE it has min-replicas-to-write " + Math.max(0, toWrite)
                            + " and min-replicas-max-lag " + Math.max(0, lag)
                            + ", but quarkus.lock.redis.after-failover=grace needs a min-replicas-to-write of at least "
                            + needed + (replicas > 0 ? ", the number of its replicas" : "")
                            + ", and a min-replicas-max-lag above 0: otherwise a master that has been replaced without "
                            + "noticing keeps granting locks. Set both on all servers"));
                } else {
                    marker.formerGoesOn(TimeUnit.SECONDS.toMillis(lag) + COUNTING_MILLIS);
                    accept();
                }
            }
        });
    }

    static boolean stopsScripts(String info) {
        Matcher version = VERSION.matcher(info);
        for (int i = 0; version.find(0) && i < STOPS_SCRIPTS.length; i++) {
            int part = Integer.parseInt(version.group(i + 1));
            if (part != STOPS_SCRIPTS[i]) {
                return part > STOPS_SCRIPTS[i];
            }
        }
        return true;
    }

    private static long number(Pattern pattern, Response reply) {
        Matcher found = pattern.matcher(reply.toString());
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    private void accept() {
        if (disagrees) {
            return; // it turned out during this look
        }
        if (refused) {
            refused = false;
            server.connections().forEach(each -> each.refuse(null));
        }
        server.connections().forEach(each -> each.scriptsLater(false));
        server.send(new Mark());
    }

    private void refuse(RedisFailure why) {
        if (!refused) {
            refused = true;
            LOG.error(new ErrorMessages(options).reason(why));
        }
        server.connections().forEach(each -> {
            each.refuse(why);
            each.scriptsLater(false);
        });
    }

    /** A reply says how much of a grace is left. */
    void left(long millis) {
        if (millis <= 0) {
            over();
            return;
        }
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean again = inGrace && end - until > SAME;
        if (!inGrace || again) {
            inGrace = true;
            until = end;
            LOG.warnf(
                    "Redis (%shosts) may have lost locks through a fail-over, a restart or a deletion, or has never had any: "
                            + "none is granted for another %s, and holders keep theirs "
                            + "(quarkus.lock.redis.after-failover=grace)",
                    options.properties(), PrintableDuration.of(Duration.ofMillis(millis)));
            listeners.recheck();
            awaitEnd();
        }
    }

    private void awaitEnd() {
        loop.after(Math.max(1, until - System.nanoTime()), () -> {
            if (inGrace && until - System.nanoTime() > 0) {
                awaitEnd();
            } else {
                over();
            }
        });
    }

    private void over() {
        if (inGrace) {
            inGrace = false;
            LOG.infof("Redis (%shosts) grants locks again, after its grace", options.properties());
        }
    }

    private abstract class Look extends Call {

        private final Request question;

        Look(Request question) {
            this.question = question;
        }

        @Override
        public Request request() {
            return question;
        }

        @Override
        public void failed(RedisFailure failure) {
            if (failure.fate() == RedisFailure.Fate.REFUSED && !failure.temporary()) {
                refuse(RedisFailure.refused("UNSAFE it does not say what quarkus.lock.redis.after-failover=grace needs to know "
                        + "about its replicas (" + failure.getMessage() + "). Allow the user of " + options.properties()
                        + "hosts to call INFO and CONFIG GET: ACL SETUSER <user> +info +config|get"));
            } else if (server.up()) {
                loop.after(AGAIN, GraceWatch.this);
            }
        }
    }

    private final class Mark extends ScriptCall {

        Mark() {
            super(Script.MARK, marker);
        }

        @Override
        public List<String> keys() {
            return List.of();
        }

        @Override
        public List<String> args() {
            return List.of();
        }

        @Override
        public void answered(Response reply) {
            marker.incarnation(reply.get(0).toString());
            left(reply.get(1).toLong());
        }

        @Override
        public void failed(RedisFailure failure) {
            if (failure.code().equals(RedisFailure.LEVEL)) {
                disagrees = true;
                refuse(failure);
            }
        }
    }
}
