package io.quarkiverse.lock.redis.connection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.vertx.core.AsyncResult;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * The connection for commands. Calls are written and answered in order. At most {@link #IN_FLIGHT} are in flight; the others
 * queue here. Each has an outcome by its deadline, which the Redis client does not promise: when a server hangs, its connection
 * is given up, and with it all calls in flight.
 */
public final class CommandConnection extends ReconnectingConnection {

    /** Notified of connection events, on the event loop. */
    public interface Watcher {
        void commandsUp(CommandConnection connection, boolean again);

        /**
         * Called before {@link #commandsUp} of the first connection, if {@linkplain #commandsUnreachable earlier dials} failed.
         */
        default void commandsReachedAtLast() {
        }

        void commandsDown(Throwable cause);

        /** No connection can be made; called once until one is made. */
        void commandsUnreachable(Throwable cause);

        /** The server refuses the call; returns whether it was sent to another one, which may answer it. */
        default boolean redirected(Call call, RedisFailure refusal) {
            return false;
        }
    }

    /** Below the 2,048 that the client accepts. */
    public static final int IN_FLIGHT = 1024;
    /** The most calls in one write: their replies are handed out when all have arrived. */
    private static final int TOGETHER = 64;
    private static final long SWEEP = 100_000_000;

    private final long timeoutNanos;
    private final Watcher watcher;
    private final ArrayDeque<Call> queue = new ArrayDeque<>();
    private final ArrayDeque<Call> inFlight = new ArrayDeque<>();
    /** The scripts that this server has run; a new server may know none. */
    private final Set<Script> known = EnumSet.noneOf(Script.class);

    private @Nullable RedisFailure unreachable;
    private boolean wasUp;
    /** This connection has brought a reply. */
    private boolean working;
    private boolean told;
    private boolean sweeping;
    private boolean pumping;
    private boolean asksLater;
    private boolean scriptsLater;
    private @Nullable RedisFailure refusal;

    public CommandConnection(EventLoop loop, Function<Vertx, Redis> clients, long timeoutNanos, boolean toMaster,
            Watcher watcher) {
        super(loop, clients, timeoutNanos, toMaster);
        this.timeoutNanos = timeoutNanos;
        this.watcher = watcher;
    }

    /** Whether calls that {@linkplain Call#asks ask} for a lock wait here while all others go on. On the event loop. */
    public void asksLater(boolean later) {
        asksLater = later;
        if (!later) {
            pump();
        }
    }

    /** Like {@link #asksLater}, for all calls that {@linkplain Call#needsLook need} a look at the server first. */
    public void scriptsLater(boolean later) {
        if (scriptsLater != later) {
            scriptsLater = later;
            pump();
        }
    }

    /** Calls that ask for a lock fail with this until it is {@code null}. On the event loop. */
    public void refuse(@Nullable RedisFailure why) {
        refusal = why;
        if (why != null) {
            queue.stream().filter(Call::asks).toList().forEach(call -> call.fail(why));
        }
    }

    /** On the event loop. The deadline is the operation timeout from now, unless the call has an earlier one. */
    public void send(Call call) {
        if (call.behindAsking) {
            call.behindAsking = false;
            send(new Asking());
        }
        long latest = System.nanoTime() + timeoutNanos;
        if (call.deadline == 0 || call.deadline - latest > 0) {
            call.deadline = latest;
        }
        if (closed) {
            call.fail(RedisFailure.notSent("The lock backend was closed", null));
            return;
        }
        if (unreachable != null && unreachable.hopeless()) {
            call.fail(unreachable);
            return;
        }
        if (refusal != null && call.asks()) {
            call.fail(refusal);
            return;
        }
        queue.add(call);
        if (wire == null) {
            if (unreachable != null) {
                call.delayed(unreachable);
            }
            dial();
        } else if (inFlight.isEmpty() && !pumping) {
            pump(); // somebody may be waiting for just this
        } else {
            pumpLater();
        }
        sweepLater();
    }

    @Override
    public void up(LiveConnection wire) {
        unreachable = null;
        known.clear();
        working = false;
        boolean atLast = told && !wasUp;
        told = false;
        boolean again = wasUp;
        wasUp = true;
        pump();
        if (atLast) {
            watcher.commandsReachedAtLast();
        }
        watcher.commandsUp(this, again);
    }

    @Override
    public void down(Throwable cause) {
        unreachable = RedisFailure.notSent("The connection ended: " + cause.getMessage(), cause);
        // These get no answer any more, but the server may still run them, now or later.
        for (Call call; (call = inFlight.poll()) != null;) {
            call.fail(RedisFailure.noReply("The connection ended before the reply: " + cause.getMessage(), cause));
        }
        if (closed) {
            failQueued(RedisFailure.notSent("The lock backend was closed", null));
        }
        watcher.commandsDown(cause);
    }

    @Override
    public void unreachable(Throwable cause) {
        Throwable reason = LiveConnection.replied(cause) ? RedisFailure.refused(cause.getMessage()) : cause;
        unreachable = RedisFailure.notSent("No connection: " + cause.getMessage(), reason);
        if (!told) {
            told = true;
            watcher.commandsUnreachable(cause);
        }
        if (unreachable.hopeless()) {
            failQueued(unreachable);
        }
        RedisFailure known = unreachable;
        queue.forEach(call -> call.delayed(known));
    }

    @Override
    public void close() {
        pump(); // a withdrawal may be waiting to be sent
        super.close();
        failQueued(RedisFailure.notSent("The lock backend was closed", null));
    }

    private void failQueued(RedisFailure failure) {
        for (Call call; (call = queue.poll()) != null;) {
            call.fail(failure);
        }
    }

    /** Runs after everything that is ready on the loop: what is sent until then goes out in one write. */
    private void pumpLater() {
        if (!pumping) {
            pumping = true;
            loop.run(this::pump);
        }
    }

    private void pump() {
        pumping = false;
        var together = new ArrayList<Call>();
        var later = new ArrayDeque<Call>(0);
        while (wire != null && inFlight.size() < IN_FLIGHT && !queue.isEmpty()) {
            Call call = queue.poll();
            if (call.over()) {
                continue;
            }
            if (asksLater && call.asks() || scriptsLater && call.needsLook()) {
                later.push(call);
                continue;
            }
            inFlight.add(call);
            boolean shares = call.mayGoTogether() && knowsScriptOf(call);
            if (shares) {
                together.add(call);
            }
            if (!shares || together.size() == TOGETHER) {
                write(together);
                together = new ArrayList<>();
            }
            if (!shares) {
                write(call);
            }
        }
        write(together);
        later.forEach(queue::addFirst);
    }

    /**
     * If the server refuses one call of a write, the replies to the others are lost, and a release that it ran cannot report
     * that there was nothing to release. So a script that a new server may not know goes alone.
     */
    private boolean knowsScriptOf(Call call) {
        return !(call instanceof ScriptCall script) || known.contains(script.script());
    }

    private void answered(Call call, Response reply) {
        if (call instanceof ScriptCall script) {
            known.add(script.script());
        }
        call.answer(reply);
    }

    private void write(List<Call> calls) {
        LiveConnection wire = this.wire;
        if (wire == null || calls.isEmpty()) {
            return;
        }
        if (calls.size() == 1) {
            write(calls.get(0));
            return;
        }
        var requests = new ArrayList<Request>(calls.size());
        for (Call call : calls) {
            call.writtenAt = System.nanoTime();
            requests.add(call.request());
        }
        wire.send(requests).onComplete(result -> {
            if (wire == this.wire) {
                replied(calls, result);
            }
        });
    }

    private void replied(List<Call> calls, AsyncResult<List<Response>> result) {
        if (result.succeeded()) {
            worked();
            for (int i = 0; i < calls.size(); i++) {
                inFlight.remove(calls.get(i));
                answered(calls.get(i), result.result().get(i));
            }
        } else {
            // Some were refused, or none was answered, and there are no replies to the others. So each is sent again by itself,
            // and may run a second time.
            var refusals = new Refusals(result.cause().getMessage());
            for (int i = 0; i < calls.size(); i++) {
                Call call = calls.get(i);
                refusals.tell(call, i);
                if (call.wanted()) {
                    write(call);
                } else {
                    inFlight.remove(call);
                    call.fail(RedisFailure.noReply(String.valueOf(result.cause().getMessage()), result.cause()));
                }
            }
        }
        pumpIfAny();
    }

    private void write(Call call) {
        LiveConnection wire = this.wire;
        if (wire == null) {
            return;
        }
        call.writtenAt = System.nanoTime();
        wire.send(call.request()).onComplete(result -> {
            if (wire != this.wire) {
                return;
            }
            if (result.failed() && mayBeSpelledOut(call, result.cause())) {
                call.notRun();
                write(call);
                return;
            }
            inFlight.remove(call);
            if (result.succeeded()) {
                worked();
                answered(call, result.result());
            } else {
                failed(wire, call, result.cause());
            }
            pumpIfAny();
        });
    }

    private void worked() {
        if (!working) {
            working = true;
            proven();
        }
    }

    private void pumpIfAny() {
        if (!queue.isEmpty()) {
            pumpLater();
        }
    }

    private static boolean mayBeSpelledOut(Call call, Throwable cause) {
        return LiveConnection.replied(cause) && String.valueOf(cause.getMessage()).startsWith(Refusals.NO_SCRIPT)
                && !call.over() && call.wanted() && call.spellOut();
    }

    private void failed(LiveConnection wire, Call call, Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        if (!LiveConnection.answered(cause)) {
            wire.end(cause); // first: what is sent because of the failure belongs to the next connection
            call.fail(RedisFailure.noReply("The connection ended before the reply: " + message, cause));
            return;
        }
        RedisFailure refusal = RedisFailure.refused(message);
        if (refusal.nothingRun()) {
            call.notRun();
        }
        if (!call.over() && call.wanted() && watcher.redirected(call, refusal)) {
            return;
        }
        if (refusal.code().equals("READONLY") || refusal.code().equals("MASTERDOWN")) {
            // This server is not, or no longer, the master; a new connection finds the present one.
            wire.end(refusal);
        }
        call.fail(refusal);
    }

    private void sweepLater() {
        if (!sweeping) {
            sweeping = true;
            loop.after(SWEEP, this::sweep);
        }
    }

    private void sweep() {
        sweeping = false;
        long now = System.nanoTime();
        Call oldest = inFlight.peek();
        if (oldest != null && now - oldest.writtenAt >= timeoutNanos) {
            replace(new IllegalStateException("no reply within " + PrintableDuration.ofNanos(timeoutNanos)));
        }
        expire(now, queue, unreachable != null ? unreachable : RedisFailure.notSent("No connection in time", null));
        queue.removeIf(Call::over);
        // These keep their places: the connection still owes their replies.
        expire(now, inFlight, RedisFailure.noReply("No reply in time", null));
        if (!queue.isEmpty() || !inFlight.isEmpty()) {
            sweepLater();
        }
    }

    /** Failing a call may send others, so the calls are selected first. */
    private static void expire(long now, Collection<Call> calls, RedisFailure failure) {
        var expired = new ArrayList<Call>();
        for (Call call : calls) {
            if (!call.over() && now - call.deadline >= 0) {
                expired.add(call);
            }
        }
        expired.forEach(call -> call.fail(failure));
    }
}
