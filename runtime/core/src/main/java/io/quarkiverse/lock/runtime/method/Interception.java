package io.quarkiverse.lock.runtime.method;

/** How calls of a locked method are intercepted. */
public enum Interception {
    /** The method belongs to a bean: a subclass intercepts. Or it is static. */
    BEAN,
    /** The method belongs to an object that a producer passes through an {@code InterceptionProxy}. */
    PROXY,
    /** There are beans of the class, and such objects. */
    BOTH
}
