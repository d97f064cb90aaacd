package io.quarkiverse.lock.runtime.name;

/**
 * A name with property expressions in its template: their values are known when the application starts, not when it is built.
 */
public abstract class ConfiguredName implements LockName {

    private String[] texts = {};

    /** The expressions, in the order of {@link #text}. */
    protected abstract String[] expressions();

    /** The text of an expression. */
    protected final String text(int index) {
        return texts[index];
    }

    public final void configure() {
        String[] expressions = expressions();
        String[] resolved = new String[expressions.length];
        for (int i = 0; i < expressions.length; i++) {
            resolved[i] = Expressions.resolve(expressions[i]);
        }
        texts = resolved;
    }
}
