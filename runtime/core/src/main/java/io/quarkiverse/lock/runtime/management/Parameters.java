package io.quarkiverse.lock.runtime.management;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.vertx.core.MultiMap;

/** What an operator has sent. */
final class Parameters {

    private Parameters() {
    }

    /** @throws RefusedException if it is there more than once: nobody knows which of them is meant */
    @Nullable
    static String optional(MultiMap sent, String parameter) {
        List<String> values = sent.getAll(parameter);
        if (values.size() > 1) {
            throw new RefusedException(400, "'" + parameter + "' must be there once");
        }
        return values.isEmpty() ? null : values.get(0);
    }

    /**
     * @param how it is to be sent
     * @throws RefusedException if it is not there
     */
    static String needed(MultiMap sent, String parameter, String how) {
        String value = optional(sent, parameter);
        if (value == null) {
            throw new RefusedException(400, "'" + parameter + "' is missing: send it as " + how);
        }
        return value;
    }
}
