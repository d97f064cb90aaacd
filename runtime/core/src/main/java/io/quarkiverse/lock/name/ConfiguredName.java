package io.quarkiverse.lock.name;

import java.util.List;

/**
 * A name with property expressions in its template: their values are known when the application starts, not when it is built.
 */
public abstract class ConfiguredName implements LockName {

    private String[] texts = {};

    /** The expressions, in the order of {@link #text}. */
    protected abstract String[] expressions();

    /** The names of the method's parameters. */
    protected abstract String[] parameters();

    /** The text of an expression. */
    protected final String text(int index) {
        return texts[index];
    }

    /** @throws IllegalArgumentException that says what is wrong with the configured texts */
    public final void configure() {
        String[] expressions = expressions();
        String[] resolved = new String[expressions.length];
        for (int i = 0; i < expressions.length; i++) {
            resolved[i] = Expressions.resolve(expressions[i]);
            refuseParts(resolved[i]);
        }
        texts = resolved;
    }

    /** It would stay as it is, so that all calls have one name. Other text in braces may well be meant so. */
    private void refuseParts(String text) {
        for (String parameter : parameters()) {
            for (String start : List.of('{' + parameter + '}', '{' + parameter + '.')) {
                int at = text.indexOf(start);
                int end = text.indexOf('}', at);
                if (at >= 0 && end >= 0) {
                    throw new IllegalArgumentException("'" + text + "' contains " + text.substring(at, end + 1)
                            + ", which is not replaced there; write that part in the annotation");
                }
            }
        }
    }
}
