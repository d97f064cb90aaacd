package io.quarkiverse.lock.name;

import static io.smallrye.common.expression.Expression.Flag.LENIENT_SYNTAX;
import static io.smallrye.common.expression.Expression.Flag.NO_TRIM;

import java.util.Optional;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

import io.smallrye.common.expression.Expression;

/** Property expressions in the strings of an annotation: {@code ${key}} or {@code ${key:default}}. */
public final class Expressions {

    private Expressions() {
    }

    public static boolean in(String text) {
        return text.contains("${");
    }

    /**
     * Replaces the expressions with their current configuration values.
     *
     * @throws IllegalArgumentException if a property is not set and has no default; names the property
     */
    public static String resolve(String text) {
        if (!in(text)) {
            return text;
        }
        Config config = ConfigProvider.getConfig();
        return Expression.compile(text, LENIENT_SYNTAX, NO_TRIM).evaluate((context, result) -> {
            Optional<String> value = config.getOptionalValue(context.getKey(), String.class);
            if (value.isPresent()) {
                result.append(value.get());
            } else if (context.hasDefault()) {
                context.expandDefault();
            } else {
                throw new IllegalArgumentException(
                        "property '" + context.getKey() + "' is not set and " + text + " has no default");
            }
        });
    }

    /** Reads {@code true} and {@code false}, nothing else. */
    public static boolean parseBoolean(String text) {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        throw new IllegalArgumentException("'" + text + "' is neither true nor false");
    }
}
