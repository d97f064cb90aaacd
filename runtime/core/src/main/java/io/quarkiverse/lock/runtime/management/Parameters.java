package io.quarkiverse.lock.runtime.management;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.vertx.core.MultiMap;

/** The parameters an operator has sent. */
final class Parameters {

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
     * @param how it must be sent
     * @throws RefusedException if it is missing
     */
    static String needed(MultiMap sent, String parameter, String how) {
        String value = optional(sent, parameter);
        if (value == null) {
            throw new RefusedException(400, "'" + parameter + "' is missing: send it as " + how);
        }
        return value;
    }
}
