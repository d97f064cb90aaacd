package io.quarkiverse.lock.runtime.method;

/** What begins inside the lock of a method, around its body. */
public enum TransactionKind {

    NONE,

    /** A transaction of JTA. */
    JTA,

    /** A session or a transaction of Hibernate Reactive. */
    REACTIVE
}
