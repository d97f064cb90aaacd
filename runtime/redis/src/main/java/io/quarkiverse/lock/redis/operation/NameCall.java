package io.quarkiverse.lock.redis.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.vertx.redis.client.Response;

/** A call about one name that reads its record, whatever the result is. */
final class NameCall<T> extends ScriptCall {

    private final String name;
    private final ErrorMessages errors;
    private final List<String> keys;
    private final List<String> args;
    private final Function<Response, T> reader;
    private final Consumer<T> found;
    private final Consumer<Throwable> unreadable;
    private final Consumer<Throwable> failed;
    private boolean asks;

    /**
     * @param more keys after that of the name
     * @param args after those that every script has
     * @param unreadable notified when something is wrong with the record of this name only
     */
    NameCall(Script script, String name, ScriptArguments arguments, ErrorMessages errors, List<String> more, List<String> args,
            Function<Response, T> reader, Consumer<T> found, Consumer<Throwable> unreadable, Consumer<Throwable> failed) {
        super(script, script == Script.FORCE ? arguments.marker() : null);
        this.name = name;
        this.errors = errors;
        this.keys = both(List.of(arguments.key(name)), more);
        this.args = both(List.of(arguments.retention(), arguments.cluster()), args);
        this.reader = reader;
        this.found = found;
        this.unreadable = unreadable;
        this.failed = failed;
    }

    private static List<String> both(List<String> first, List<String> more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(more);
        return all;
    }

    /** Makes it wait and fail as a call that asks for a lock. */
    NameCall<T> asking() {
        asks = true;
        return this;
    }

    @Override
    public boolean asks() {
        return asks;
    }

    /** Whether a reply that counts holders has counted any. */
    static boolean any(Response reply) {
        return reply.get(1).toInteger() > 0;
    }

    static LockMode mode(Response letter) {
        return letter.toString().equals("S") ? LockMode.SHARED : LockMode.EXCLUSIVE;
    }

    @Override
    public List<String> keys() {
        return keys;
    }

    @Override
    public List<String> args() {
        return args;
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
