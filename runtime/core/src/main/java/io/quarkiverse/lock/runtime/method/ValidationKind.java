package io.quarkiverse.lock.runtime.method;

/** What Hibernate Validator does with a method's parameters. */
public enum ValidationKind {

    /** It ignores them. */
    NONE,
    /** It refuses a call that violates a constraint. */
    METHOD,
    /** It refuses a request, and tells the client what is wrong with it. */
    ENDPOINT
}
