package io.quarkiverse.lock.redis.operation;

import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Response;

/**
 * Takes a name from those that hold it now. The server may run a request long after its caller was told that it failed, and the
 * name may have another holder by then. So this asks for the newest fence first, and then takes the name only from holders that
 * are no newer. Event loop only.
 */
final class ForcedRelease {

    private final Consumer<Call> server;
    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final String name;
    private final Outcome<Boolean> outcome;
    private final Call question;

    /** @param server where the second call is sent to */
    ForcedRelease(Consumer<Call> server, ScriptArguments arguments, ErrorMessages errors, String name,
            Outcome<Boolean> outcome) {
        this.server = server;
        this.arguments = arguments;
        this.errors = errors;
        this.name = name;
        this.outcome = outcome;
        question = new NameCall<Response>(Script.NEWEST, name, arguments, errors, List.of(), List.of(),
                reply -> reply, this::force, outcome::fail, outcome::fail);
    }

    /** The first call, which has the second one sent. Both together take no longer than one operation may. */
    Call question() {
        return question;
    }

    private void force(Response known) {
        boolean held = NameCall.any(known);
        var force = new NameCall<Boolean>(Script.FORCE, name, arguments, errors, List.of(),
                List.of(known.get(2).toString(), arguments.marker() == null ? "0" : "1"),
                reply -> held || NameCall.any(reply), outcome::complete, outcome::fail, outcome::fail);
        force.deadline = question.deadline;
        server.accept(force);
    }
}
