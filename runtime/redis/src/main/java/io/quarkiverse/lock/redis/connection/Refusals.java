package io.quarkiverse.lock.redis.connection;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.RedisFailure;

/**
 * Which calls of one write the server has refused. The client puts all the errors into one message, each on a line with its
 * place in the write, and does not hand out the replies to the others. Should it ever say this in another way, nothing is known
 * of any call here, and each may have been run.
 */
final class Refusals {

    /** Begins the error of a server that does not know a script. */
    static final String NO_SCRIPT = "NOSCRIPT";
    private static final Pattern REFUSAL = Pattern.compile("^ERR \\[(\\d{1,4})] ?(.*)$", Pattern.MULTILINE);

    private final Map<Integer, String> errors = new HashMap<>();

    Refusals(@Nullable String message) {
        Matcher each = REFUSAL.matcher(String.valueOf(message));
        while (each.find()) {
            errors.put(Integer.valueOf(each.group(1)), each.group(2));
        }
    }

    /** Prepares a call of that write to be sent again. */
    void tell(Call call, int place) {
        String error = errors.get(place);
        if (error == null) {
            return;
        }
        if (RedisFailure.refused(error).nothingRun()
                || RedisFailure.refused("ERR " + error).nothingRun()) { // which the client leaves out
            call.notRun();
        }
        if (error.startsWith(NO_SCRIPT)) {
            call.spellOut();
        }
    }
}
