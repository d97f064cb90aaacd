package io.quarkiverse.lock.redis.connection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Sends calls and asks with {@code WAIT} how many replicas have what they wrote. {@code WAIT} counts the replicas that have
 * reached the last write of <em>its own connection</em>; on any other connection it confirms nothing. So both use a connection
 * that little else uses, and a {@code WAIT} covers only what was written before it on that very connection.
 *
 * <p>
 * One {@code WAIT} covers many calls: while it is in flight, calls gather here and then go together. Calls that undo them go
 * the same way, so that they run before the next ones. Event loop only.
 */
public final class ReplicaAcks {

    private final EventLoop loop;
    private final CommandConnection commands;
    private final RedisLockOptions options;
    private final ArrayDeque<ScriptCall.Replicated> gathered = new ArrayDeque<>();
    private final ArrayList<Acked> unacknowledged = new ArrayList<>();
    private boolean waiting;
    private boolean goes;

    public ReplicaAcks(EventLoop loop, Function<Vertx, Redis> clients, RedisLockOptions options,
            CommandConnection.Watcher watcher) {
        this.loop = loop;
        this.options = options;
        this.commands = new CommandConnection(loop, clients, options.operationTimeout().toNanos(), !options.cluster(),
                new Events(watcher));
    }

    public void open() {
        commands.dial();
    }

    public CommandConnection connection() {
        return commands;
    }

    public void send(ScriptCall.Replicated call) {
        long latest = System.nanoTime() + options.operationTimeout().toNanos();
        if (call.deadline == 0 || call.deadline - latest > 0) {
            call.deadline = latest;
        }
        if (commands.wire() == null) {
            // In that queue it keeps its place and its time limit until there is a connection; its answer leads to a WAIT
            transmit(call);
        } else {
            gathered.add(call);
            goSoon();
        }
    }

    /** Ahead of everything sent from here on; replicas are not asked to acknowledge it. */
    public void sendFirst(Call call) {
        commands.send(call);
    }

    public void close() {
        commands.close();
        // Without a connection all fail at once.
        go();
    }

    /** Runs after everything that is ready on the loop, so that what is sent until then goes together. */
    private void goSoon() {
        if (!waiting && !goes) {
            goes = true;
            loop.run(this::go);
        }
    }

    private void go() {
        goes = false;
        if (waiting || gathered.isEmpty() && unacknowledged.isEmpty()) {
            return;
        }
        for (ScriptCall.Replicated call; (call = gathered.poll()) != null;) {
            transmit(call);
        }
        waiting = true;
        commands.send(new Wait());
    }

    private void transmit(ScriptCall.Replicated call) {
        if (!call.over()) {
            var acked = new Acked(call);
            acked.deadline = call.deadline;
            acked.behindAsking = call.behindAsking;
            call.behindAsking = false;
            commands.send(acked);
        }
    }

    /** Replies come in the order of the calls: a WAIT is answered after all calls that it covers, and before all others. */
    private List<Acked> conclude() {
        var concluded = List.copyOf(unacknowledged);
        unacknowledged.clear();
        return concluded;
    }

    private void next() {
        waiting = false;
        if (!gathered.isEmpty() || !unacknowledged.isEmpty()) {
            goSoon();
        }
    }

    private final class Acked extends Call {

        private final ScriptCall.Replicated call;
        private @Nullable LiveConnection wire;
        private @Nullable Response reply;

        Acked(ScriptCall.Replicated call) {
            this.call = call;
        }

        @Override
        public Request request() {
            wire = commands.wire();
            return call.request();
        }

        @Override
        public boolean spellOut() {
            return call.spellOut();
        }

        @Override
        public boolean asks() {
            return call.asks();
        }

        @Override
        public boolean needsLook() {
            return call.needsLook();
        }

        @Override
        public void delayed(RedisFailure why) {
            call.delayed(why);
        }

        @Override
        public void notRun() {
            call.notRun();
        }

        @Override
        public boolean wanted() {
            return call.wanted();
        }

        @Override
        public boolean over() {
            return super.over() || call.over();
        }

        @Override
        public void answered(Response response) {
            if (call.promises(response)) {
                reply = response;
                unacknowledged.add(this);
                // Usually a WAIT follows it already, but not when it had to be sent again.
                goSoon();
            } else {
                call.answer(response);
            }
        }

        @Override
        public void failed(RedisFailure failure) {
            call.fail(failure);
        }

        void conclude(@Nullable RedisFailure failure) {
            if (reply == null) {
                throw new IllegalStateException("Not answered");
            }
            if (failure == null) {
                call.answer(reply);
            } else {
                call.unacknowledge(reply, failure);
            }
        }
    }

    private final class Wait extends Call {

        private @Nullable LiveConnection wire;

        @Override
        public Request request() {
            wire = commands.wire();
            return Request.cmd(Command.WAIT).arg(options.replicaAcks()).arg(options.ackMillis());
        }

        @Override
        public void answered(Response response) {
            int acks = response.toInteger();
            RedisFailure failure = acks >= options.replicaAcks() ? null : RedisFailure.unacknowledged(acks);
            for (Acked each : conclude()) {
                each.conclude(each.wire == wire ? failure
                        : RedisFailure.noReply("The connection ended before the replicas had acknowledged", null));
            }
            next();
        }

        @Override
        public void failed(RedisFailure failure) {
            for (Acked each : conclude()) {
                each.conclude(failure);
            }
            next();
        }
    }

    /** Events of this connection are those of the other one to the same server; what is redirected is the call itself. */
    private record Events(CommandConnection.Watcher watcher) implements CommandConnection.Watcher {

        @Override
        public void commandsUp(CommandConnection connection, boolean again) {
            if (again) {
                watcher.commandsUp(connection, true);
            }
        }

        @Override
        public void commandsDown(Throwable cause) {
            watcher.commandsDown(cause);
        }

        @Override
        public void commandsUnreachable(Throwable cause) {
            // The connection for commands reports it.
        }

        @Override
        public boolean redirected(Call call, RedisFailure refusal) {
            return watcher.redirected(call instanceof Acked acked ? acked.call : call, refusal);
        }
    }
}
