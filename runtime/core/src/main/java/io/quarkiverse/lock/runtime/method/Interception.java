package io.quarkiverse.lock.runtime.method;

/** How calls of a locked method are intercepted. */
public enum Interception {
    /** The method belongs to a bean, whose generated subclass intercepts it; or it is static. */
    BEAN,
    /** The method belongs to an object that a producer passes through an {@code InterceptionProxy}. */
    PROXY,
    /** There are both beans of the class and such objects. */
    BOTH
}
