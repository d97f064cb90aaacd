package io.quarkiverse.lock.redis.script;

import java.util.List;

import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A call of a script: by its name first, and with its text when the server does not know the name. */
public abstract class ScriptCall extends Call {

    private final Script script;
    private boolean spelledOut;

    public ScriptCall(Script script) {
        this.script = script;
    }

    public final Script script() {
        return script;
    }

    public abstract List<String> keys();

    public abstract List<String> args();

    /** About to be written: the time that leases count from. */
    public void writing() {
    }

    @Override
    public final Request request() {
        writing();
        return script.request(spelledOut, keys(), args());
    }

    @Override
    public final boolean spellOut() {
        if (spelledOut) {
            return false;
        }
        spelledOut = true;
        return true;
    }

    /** A call whose success counts, where replicas are asked for, only when enough of them have what it wrote. */
    public abstract static class Replicated extends ScriptCall {

        public Replicated(Script script) {
            super(script);
        }

        /** Whether this reply promises something. */
        public abstract boolean promises(Response reply);

        /** Instead of {@link #answered}: the server has done it, and not enough replicas are known to have it. */
        public abstract void unacknowledged(Response reply, RedisFailure why);

        public final void unacknowledge(Response reply, RedisFailure why) {
            if (!over()) {
                forget();
                unacknowledged(reply, why);
            }
        }
    }
}
