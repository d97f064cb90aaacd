package io.quarkiverse.lock;

import io.quarkiverse.lock.name.NameTemplate;

/**
 * Makes the name of a lock from a template, as {@link Locked} does, for code that refers to the lock of an annotated method: a
 * batch that takes it, an operator's tool that inspects it, a test.
 *
 * <pre>{@code
 * static final String STOCK = "stock-{warehouse}-{item}";
 *
 * &#64;Locked(STOCK)
 * void count(String warehouse, long item) { ... }
 *
 * locks.lock(LockNames.of(STOCK, "eu-1", 7)) // stock-eu\-1-7
 * }</pre>
 *
 * Concatenated texts are another name as soon as a part contains what follows it in the template.
 */
public final class LockNames {

    private LockNames() {
    }

    /**
     * The name that a method with this template locks if its arguments have these values. May be called on any thread; it does
     * not block.
     *
     * @param template as in the annotation; the names in its braces have no meaning here. Property expressions are resolved
     *        with the current configuration
     * @param parts one value for each part in braces, in their order, also if a part occurs again; for {@code {order.id}} the
     *        value of the property
     * @throws IllegalArgumentException if this is no template, if there are more or fewer values than parts, or if a value is
     *         {@code null} or has no text that is the same in every JVM
     */
    public static String of(String template, Object... parts) {
        return NameTemplate.name(template, parts);
    }
}
