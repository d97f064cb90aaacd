package io.quarkiverse.lock.runtime.method;

/** What Hibernate Validator does with a method's parameters. */
public enum ValidationKind {

    /** It does not look at them. */
    NONE,
    /** It refuses a call that violates a constraint. */
    METHOD,
    /** It refuses a request, so that the client is told what is wrong with it. */
    ENDPOINT
}
