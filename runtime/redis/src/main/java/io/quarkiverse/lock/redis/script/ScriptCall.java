package io.quarkiverse.lock.redis.script;

import java.util.List;

import io.vertx.redis.client.Request;

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
}
