package io.quarkiverse.lock.redis.operation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.Script.AcquireReply;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** Makes the calls that are about a name and no claim of this JVM: an operator asks. */
public final class AdminCalls {

    /** Of one name in a list, whose commands are to be short: some 2 ms. */
    private static final int MOST_LISTED = 500;

    private final ScriptArguments arguments;
    private final ErrorMessages errors;

    public AdminCalls(ScriptArguments arguments, ErrorMessages errors) {
        this.arguments = arguments;
        this.errors = errors;
    }

    /** Who holds the name. */
    public Call inspect(String name, Outcome<Optional<LockInfo>> outcome) {
        return new AdminCall<>(Script.INSPECT, name, reply -> state(name, reply), outcome::complete, outcome::fail,
                outcome::fail, Integer.MAX_VALUE);
    }

    /**
     * The same for one of many names, with the first {@value #MOST_LISTED} of its holders.
     *
     * @param unreadable told of what is wrong with the record of this name alone
     */
    Call inspect(String name, Consumer<Optional<LockInfo>> found, Consumer<Throwable> unreadable,
            Consumer<Throwable> failed) {
        return new AdminCall<>(Script.INSPECT, name, reply -> state(name, reply), found, unreadable, failed, MOST_LISTED);
    }

    /** Takes the name from whoever holds it; whether anybody did. */
    public Call forceRelease(String name, Outcome<Boolean> outcome) {
        return new AdminCall<>(Script.FORCE, name, AdminCalls::any, outcome::complete, outcome::fail,
                outcome::fail, 0);
    }

    /** Asks whoever holds the name to finish; whether anybody does. */
    public Call requestRelease(String name, Outcome<Boolean> outcome) {
        return new AdminCall<>(Script.ASK, name, AdminCalls::any, outcome::complete, outcome::fail,
                outcome::fail, 0);
    }

    private static boolean any(Response reply) {
        return reply.get(1).toInteger() > 0;
    }

    private static Optional<LockInfo> state(String name, Response reply) {
        int waiters = reply.get(1).toInteger();
        var holders = new ArrayList<LockInfo.Holder>();
        var waiting = new ArrayList<LockInfo.Waiter>();
        int i = 2;
        while (i < reply.size() && reply.get(i).type() != ResponseType.MULTI) {
            holders.add(new LockInfo.Holder(reply.get(i + 5).toString(), Grant.firstToken(AcquireReply.fence(reply.get(i))),
                    mode(reply.get(i + 1)), reply.get(i + 2).toInteger(), Duration.ofMillis(reply.get(i + 3).toLong()),
                    Duration.ofMillis(reply.get(i + 4).toLong())));
            i += 6;
        }
        for (; i < reply.size(); i++) {
            Response each = reply.get(i);
            waiting.add(new LockInfo.Waiter(each.get(3).toString(), mode(each.get(0)), each.get(1).toInteger(),
                    Duration.ofMillis(each.get(2).toLong())));
        }
        return waiters == 0 && holders.isEmpty() ? Optional.empty()
                : Optional.of(new LockInfo(name, holders, waiters, waiting));
    }

    private static LockMode mode(Response letter) {
        return letter.toString().equals("S") ? LockMode.SHARED : LockMode.EXCLUSIVE;
    }

    private final class AdminCall<T> extends ScriptCall {

        private final String name;
        private final Function<Response, T> reader;
        private final Consumer<T> found;
        private final Consumer<Throwable> unreadable;
        private final Consumer<Throwable> failed;
        private final int holders;

        AdminCall(Script script, String name, Function<Response, T> reader, Consumer<T> found,
                Consumer<Throwable> unreadable, Consumer<Throwable> failed, int holders) {
            super(script);
            this.name = name;
            this.reader = reader;
            this.found = found;
            this.unreadable = unreadable;
            this.failed = failed;
            this.holders = holders;
        }

        @Override
        public List<String> keys() {
            return List.of(arguments.key(name));
        }

        @Override
        public List<String> args() {
            return List.of(arguments.retention(), arguments.cluster(), String.valueOf(holders));
        }

        @Override
        public void answered(Response reply) {
            if (reply.get(0).toString().equals("FORMAT")) {
                unreadable.accept(errors.format(name, reply.get(1).toString()));
                return;
            }
            T read;
            try {
                read = reader.apply(reply);
            } catch (RuntimeException e) {
                unreadable.accept(errors.unreadable(name, e));
                return;
            }
            found.accept(read);
        }

        @Override
        public void failed(RedisFailure failure) {
            (failure.ofRecord() ? unreadable : failed).accept(errors.failure(name, failure));
        }
    }
}
