package io.quarkiverse.lock.redis;

import java.util.List;

import io.vertx.redis.client.Request;

/** A call of a script: by its name first, and with its text when the server does not know the name. */
abstract class ScriptCall extends Call {

    private final Script script;
    private boolean spelledOut;

    ScriptCall(Script script) {
        this.script = script;
    }

    abstract List<String> keys();

    abstract List<String> args();

    /** About to be written: the time that leases count from. */
    void writing() {
    }

    /** What was written has not been run, for certain. */
    void notRun() {
    }

    @Override
    final Request request() {
        writing();
        return script.request(spelledOut, keys(), args());
    }

    @Override
    final boolean spellOut() {
        if (spelledOut) {
            return false;
        }
        spelledOut = true;
        notRun();
        return true;
    }
}
