package io.quarkiverse.lock.redis.quorum;

import java.util.List;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.connection.ConnectionListener;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.connection.SubscriptionConnection;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.topology.ServerChecks;
import io.quarkiverse.lock.redis.topology.SubscriptionProbe;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Response;

/** One of the servers: a connection for commands and one for messages. Event loop only. */
final class QuorumServer {

    private static final Logger LOG = Logger.getLogger(QuorumServer.class);

    /** Its place among the others. */
    final int index;
    private final RedisLockOptions options;
    private final ErrorMessages errors;
    private final QuorumKeys keys;
    private final EventLoop loop;
    private final ConnectionListener listener;
    private final CommandConnection commands;
    private final SubscriptionConnection messages;
    private final SubscriptionProbe probe;
    private final ServerChecks checks;
    private final ServerRuns runs;
    private volatile boolean listening;

    QuorumServer(int index, EventLoop loop, Function<Vertx, Redis> clients, RedisLockOptions options, QuorumKeys keys,
            ServerRuns runs, ConnectionListener listener) {
        this.index = index;
        this.options = options;
        this.errors = new ErrorMessages(options);
        this.keys = keys;
        this.loop = loop;
        this.runs = runs;
        this.listener = listener;
        long timeout = options.operationTimeout().toNanos();
        commands = new CommandConnection(loop, clients, timeout, true, new Commands());
        messages = new SubscriptionConnection(loop, clients, timeout, true, keys.channel(), new Messages());
        probe = new SubscriptionProbe(loop, commands::send, messages, null, keys.channel(), timeout);
        checks = new ServerChecks(options, keys.channel());
    }

    void open() {
        commands.dial();
        messages.want();
    }

    void send(Call call) {
        commands.send(call);
    }

    /** Messages arrive. Any thread. */
    boolean listening() {
        return listening;
    }

    /** Runs it as the next task on the loop. */
    void later(Runnable task) {
        loop.run(task);
    }

    String reason(RedisFailure failure) {
        if (failure.rootCode().equals("NOPERM")) {
            return "the user of " + options.properties() + "hosts is not allowed to do what locks need (" + failure.getMessage()
                    + "). Allow it, for instance with ACL SETUSER <user> ~" + options.keyPrefix() + "* resetchannels &"
                    + options.keyPrefix() + "* +@connection +@hash +@sortedset +eval +evalsha +time +get +set +pexpire "
                    + "+pexpireat +scan +info +publish +subscribe" + ErrorMessages.select(failure.getMessage());
        }
        return errors.reason(failure);
    }

    /** Gives its connections up for new ones. */
    void reconnect() {
        var why = new IllegalStateException("this process was restored from a checkpoint");
        commands.replace(why);
        messages.replace(why);
    }

    void close() {
        probe.stop();
        commands.close();
        messages.close();
    }

    private final class Begin extends ServerCall {

        Begin() {
            super(QuorumServer.this, Script.QUORUM_BEGIN);
        }

        @Override
        public List<String> keys() {
            return List.of(keys.marker());
        }

        @Override
        public List<String> args() {
            return List.of(keys.toldLongestLease());
        }

        @Override
        public void answered(Response reply) {
            keys.refusals().heard(server, reply);
            long number = reply.get(1).toLong();
            if (reply.get(0).toString().equals("LONGEST")) {
                LOG.errorf("Redis (%shosts), or a majority of the quorum, has learnt that no lease is longer than %d ms, "
                        + "but this application has quarkus.lock.redis.longest-lease=%s ms: it gets no locks here. Set it "
                        + "alike in all applications with this quarkus.lock.redis.key-prefix. If they agree, stop them and "
                        + "delete the key %s on all servers", options.properties(), number, keys.longestLease(), keys.marker());
            } else if (number > 0) {
                LOG.infof("Redis (%shosts) was started and may have forgotten locks: it takes no part for %s",
                        options.properties(), PrintableDuration.ofNanos(number * 1_000_000));
            }
        }

        @Override
        public void failed(RedisFailure failure) {
            LOG.debugf("Redis (%shosts) does not say whether it takes part: %s", options.properties(), failure.getMessage());
        }
    }

    private final class Commands implements CommandConnection.Watcher {

        @Override
        public void commandsReachedAtLast() {
            LOG.infof("Connected to Redis (%shosts)", options.properties());
        }

        @Override
        public void commandsUp(CommandConnection connection, boolean again) {
            commands.send(new Begin());
            checks.run(connection::send);
            connection.send(runs.question(options.properties()));
            if (again) {
                probe.check(); // the connection for messages may not have noticed what ended this one
                LOG.infof("Connected to Redis again (%shosts); all locks are checked", options.properties());
                listener.recheck();
            }
        }

        @Override
        public void commandsUnreachable(Throwable cause) {
            LOG.warnf("Cannot connect to Redis (%shosts): %s. Retrying until it works; locks need a majority of the servers "
                    + "of quarkus.lock.redis.quorum", options.properties(), cause.getMessage());
        }

        @Override
        public void commandsDown(Throwable cause) {
            LOG.debugf("Lost the connection to Redis (%shosts): %s", options.properties(), cause.getMessage());
            runs.disconnected(options.properties());
            listener.disconnected();
        }
    }

    private final class Messages implements SubscriptionConnection.Watcher {

        @Override
        public void subscribed() {
            listening = true;
            probe.start();
            probe.check();
            listener.recheck(); // a forced release may have been published meanwhile
        }

        @Override
        public void unsubscribed() {
            listening = false;
        }

        /** A server takes a waiter whose channel nobody hears for dead, and tells the next one: see {@code tellFirst}. */
        @Override
        public String whileRefused() {
            return "if a majority of the servers does so, a caller here waits for as long as callers elsewhere wait for the "
                    + "same lock";
        }

        @Override
        public void message(String payload) {
            if (payload.startsWith(SubscriptionProbe.PING)) {
                probe.heard(payload);
            } else {
                listener.message(index, payload);
            }
        }
    }
}
