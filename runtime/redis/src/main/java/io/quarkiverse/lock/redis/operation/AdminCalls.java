package io.quarkiverse.lock.redis.operation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.Script.AcquireReply;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** Makes the calls about a name, without a claim of this JVM, that an operator asks for. */
public final class AdminCalls {

    /** The most holders of one name in a list, whose commands must be short: some 2 ms. */
    private static final int MOST_LISTED = 500;

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private final ErrorMessages errors;

    public AdminCalls(RedisConnections connections, ScriptArguments arguments, ErrorMessages errors) {
        this.connections = connections;
        this.arguments = arguments;
        this.errors = errors;
    }

    /** Who holds the name. */
    public Call inspect(String name, Outcome<Optional<LockInfo>> outcome) {
        return inspect(name, Integer.MAX_VALUE, outcome::complete, outcome::fail, outcome::fail);
    }

    /** Whether this JVM may have locks: fails where it is not given any, although the server answers. */
    public Call ready(String name, Outcome<Void> outcome) {
        return inspect(name, 1, found -> outcome.complete(null), outcome::fail, outcome::fail).asking();
    }

    /**
     * The same for one of many names, with the first {@value #MOST_LISTED} of its holders.
     *
     * @param unreadable notified when something is wrong with the record of this name only
     */
    Call inspect(String name, Consumer<Optional<LockInfo>> found, Consumer<Throwable> unreadable,
            Consumer<Throwable> failed) {
        return inspect(name, MOST_LISTED, found, unreadable, failed);
    }

    private NameCall<Optional<LockInfo>> inspect(String name, int holders, Consumer<Optional<LockInfo>> found,
            Consumer<Throwable> unreadable,
            Consumer<Throwable> failed) {
        return new NameCall<>(Script.INSPECT, name, arguments, errors, List.of(), List.of(String.valueOf(holders)),
                reply -> state(name, reply), found, unreadable, failed);
    }

    /** Takes the name from its holders; answers whether there were any. */
    public Call forceRelease(String name, Outcome<Boolean> outcome) {
        return new ForcedRelease(connections::send, arguments, errors, name, outcome).question();
    }

    /** Asks the holders of the name to finish; answers whether there are any. */
    public Call requestRelease(String name, Outcome<Boolean> outcome) {
        return new NameCall<>(Script.ASK, name, arguments, errors, List.of(), List.of(), NameCall::any,
                outcome::complete, outcome::fail, outcome::fail);
    }

    private static Optional<LockInfo> state(String name, Response reply) {
        int waiters = reply.get(1).toInteger();
        var holders = new ArrayList<LockInfo.Holder>();
        var waiting = new ArrayList<LockInfo.Waiter>();
        int i = 2;
        while (i < reply.size() && reply.get(i).type() != ResponseType.MULTI) {
            holders.add(new LockInfo.Holder(reply.get(i + 5).toString(), Grant.firstToken(AcquireReply.fence(reply.get(i))),
                    NameCall.mode(reply.get(i + 1)), reply.get(i + 2).toInteger(), Duration.ofMillis(reply.get(i + 3).toLong()),
                    Duration.ofMillis(reply.get(i + 4).toLong())));
            i += 6;
        }
        for (; i < reply.size(); i++) {
            Response each = reply.get(i);
            waiting.add(new LockInfo.Waiter(each.get(3).toString(), NameCall.mode(each.get(0)), each.get(1).toInteger(),
                    Duration.ofMillis(each.get(2).toLong())));
        }
        return waiters == 0 && holders.isEmpty() ? Optional.empty()
                : Optional.of(new LockInfo(name, holders, waiters, waiting));
    }
}
