package io.quarkiverse.lock.redis.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Outcome;
import io.quarkiverse.lock.spi.WaitNotes;
import io.vertx.redis.client.Response;

/** Makes the calls that write and read the notes of waiting claims. */
public final class NoteCalls {

    private static final String KEPT = String.valueOf(2 * WaitNotes.REWRITTEN_WITHIN.toMillis());

    private final ScriptArguments arguments;
    private final ErrorMessages errors;

    public NoteCalls(ScriptArguments arguments, ErrorMessages errors) {
        this.arguments = arguments;
        this.errors = errors;
    }

    public Call note(Claim waiting, String note, Outcome<Boolean> outcome) {
        return call(Script.NOTE, waiting.name(), List.of(waiting.token(), note, KEPT),
                reply -> reply.get(1).toInteger() > 0, outcome);
    }

    public Call line(String name, Outcome<WaitNotes.Line> outcome) {
        return call(Script.LINE, name, List.of(), NoteCalls::line, outcome);
    }

    private static WaitNotes.Line line(Response reply) {
        List<WaitNotes.Holder> holders = new ArrayList<>();
        List<WaitNotes.Waiter> waiters = new ArrayList<>();
        for (int i = 1; i < reply.size(); i++) {
            Response each = reply.get(i);
            if (each.size() == 3) {
                holders.add(new WaitNotes.Holder(Long.parseLong(each.get(0).toString()),
                        NameCall.mode(each.get(1)), each.get(2).toInteger()));
            } else {
                waiters.add(new WaitNotes.Waiter(each.get(0).toString(), Long.parseLong(each.get(1).toString()),
                        each.get(2).toString(), each.get(3).toString()));
            }
        }
        return new WaitNotes.Line(holders, waiters);
    }

    private <T> Call call(Script script, String name, List<String> args, Function<Response, T> reader, Outcome<T> outcome) {
        return new NameCall<>(script, name, arguments, errors, List.of(arguments.notesKey(name)), args, reader,
                outcome::complete, outcome::fail, outcome::fail);
    }
}
