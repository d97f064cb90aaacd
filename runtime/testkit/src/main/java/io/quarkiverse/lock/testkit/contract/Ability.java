package io.quarkiverse.lock.testkit.contract;

/** What not every {@link ContractEnvironment} can do. */
public enum Ability {
    /** {@link Link#cut} and {@link Link#heal}. */
    CUT,
    /** {@link Link#loseReplyTo}, {@link Link#delayRequests} and {@link Link#reset}: there is a network, with a proxy in it. */
    NETWORK,
    /** {@link ContractEnvironment#deleteGrant}. */
    DELETE_GRANT,
    /** {@link ContractEnvironment#loseAllData}. */
    LOSE_DATA,
    /** {@link ContractEnvironment#pauseStore} and {@link ContractEnvironment#resumeStore}. */
    PAUSE_STORE,
    /** The store itself ends a lease that is not renewed, although the JVM that has it lives and is connected. */
    STORE_LEASES,
    /** {@link ContractEnvironment#restartStore}: the store keeps its data over a restart. */
    RESTART_STORE,
    /** {@link ContractEnvironment#childBackend}: other JVMs on this machine reach the store. */
    CHILD_JVMS,
    /** Those who look at a name from outside see who holds it, and can take it away. */
    OPERATORS,
    /** The store itself queues those who wait: JVMs are served in the order in which they came, and at once. */
    QUEUE,
    /** Those who look at a name see who waits for it, and for how long. */
    LINE,
    /** A JVM that has a name is told when others begin to wait for it. */
    NEWS,
    /** {@link ContractEnvironment#leftovers} really looks. */
    LIST,
    /** Virtual threads: not the environment's, but the JDK's. */
    VIRTUAL_THREADS
}
