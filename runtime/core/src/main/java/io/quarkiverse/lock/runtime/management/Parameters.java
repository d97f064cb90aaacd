package io.quarkiverse.lock.runtime.management;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.LockNameRule;
import io.vertx.core.MultiMap;

/** The parameters an operator has sent. */
final class Parameters {

    /** Ends the name of a parameter whose value is sent as a JSON string. */
    private static final String AS_JSON = "Json";

    private Parameters() {
    }

    /** @throws RefusedException if it occurs more than once: nobody knows which one is meant */
    @Nullable
    static String optional(MultiMap sent, String parameter) {
        List<String> values = sent.getAll(parameter);
        if (values.size() > 1) {
            throw new RefusedException(400, "'" + parameter + "' must be given only once");
        }
        return values.isEmpty() ? null : values.get(0);
    }

    /**
     * A parameter that may be any text. Addresses and forms cannot contain an unpaired surrogate, but a JSON string can: it is
     * sent as {@code nameJson} in place of {@code name}.
     */
    @Nullable
    static String text(MultiMap sent, String parameter) {
        String plain = optional(sent, parameter);
        String json = optional(sent, parameter + AS_JSON);
        if (json == null) {
            return plain;
        }
        String text = plain == null ? JsonText.read(json) : null;
        if (text == null) {
            throw new RefusedException(400, "'" + parameter + AS_JSON + "' must be a JSON string, in quotes, and replaces '"
                    + parameter + "'");
        }
        return text;
    }

    /** {@link #text}, as part of an address or of a form. */
    static String encoded(String parameter, String text) {
        return LockNameRule.hasUtf8Form(text) ? parameter + '=' + encoded(text)
                : parameter + AS_JSON + '=' + encoded(JsonText.of(text));
    }

    /** Preserves what the browser would change, such as line ends. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /**
     * @param how it must be sent
     * @throws RefusedException if {@link #text} is missing
     */
    static String needed(MultiMap sent, String parameter, String how) {
        String value = text(sent, parameter);
        if (value == null) {
            throw new RefusedException(400, "'" + parameter + "' is missing: send it as " + how);
        }
        return value;
    }
}
