package io.quarkiverse.lock.redis.script;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** A call of a script: by its name first, and with its text when the server does not know the name. */
public abstract class ScriptCall extends Call {

    private final Script script;
    private final @Nullable Marker marker;
    private boolean spelledOut;

    /** For a script that grants nothing. */
    public ScriptCall(Script script) {
        this(script, null);
    }

    /** @param marker of the server, if the script is to look at it */
    public ScriptCall(Script script, @Nullable Marker marker) {
        this.script = script;
        this.marker = marker;
    }

    public final Script script() {
        return script;
    }

    public abstract List<String> keys();

    public abstract List<String> args();

    /** What the holder knows about its hold, for a server that has lost it. */
    public List<String> known() {
        return List.of();
    }

    /** The call is about to be written; leases count from this moment. */
    public void writing() {
    }

    @Override
    public final Request request() {
        writing();
        return marker == null ? script.request(spelledOut, keys(), args())
                : marker.request(script, spelledOut, keys(), args(), known());
    }

    @Override
    public final boolean needsLook() {
        return true;
    }

    @Override
    public final boolean spellOut() {
        if (spelledOut) {
            return false;
        }
        spelledOut = true;
        return true;
    }

    /** A call whose success, where replicas must acknowledge, counts only when enough of them have what it wrote. */
    public abstract static class Replicated extends ScriptCall {

        public Replicated(Script script, @Nullable Marker marker) {
            super(script, marker);
        }

        /** Whether this reply grants or renews something, so that replicas must acknowledge it. */
        public abstract boolean promises(Response reply);

        /** Called instead of {@link #answered}: the server has done it, but too few replicas are known to have it. */
        public abstract void unacknowledged(Response reply, RedisFailure why);

        public final void unacknowledge(Response reply, RedisFailure why) {
            if (!over()) {
                forget();
                unacknowledged(reply, why);
            }
        }
    }
}
