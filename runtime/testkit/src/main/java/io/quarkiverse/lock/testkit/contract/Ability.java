package io.quarkiverse.lock.testkit.contract;

/** What a {@link ContractEnvironment} may or may not be able to do. */
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
    /** The store itself ends a lease that is not renewed, even if its JVM is alive and connected. */
    STORE_LEASES,
    /** {@link ContractEnvironment#restartStore}: the store keeps its data across a restart. */
    RESTART_STORE,
    /** {@link ContractEnvironment#childBackend}: other JVMs on this machine reach the store. */
    CHILD_JVMS,
    /** An outside observer of a name sees who holds it, and can take it away. */
    OPERATORS,
    /** The store itself queues waiters: JVMs are served in order of arrival, and at once. */
    QUEUE,
    /** An observer of a name sees who waits for it, and for how long. */
    LINE,
    /** A JVM that has a name is notified when others begin to wait for it. */
    NEWS,
    /** {@link ContractEnvironment#leftovers} really looks into the store. */
    LIST,
    /** Virtual threads: an ability of the JDK, not of the environment. */
    VIRTUAL_THREADS
}
