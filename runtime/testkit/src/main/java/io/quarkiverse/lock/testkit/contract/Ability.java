package io.quarkiverse.lock.testkit.contract;

/** What not every {@link ContractEnvironment} can do. */
public enum Ability {
    /** {@link Link#cut} and {@link Link#heal}. */
    CUT,
    /** {@link Link#loseReplyTo} and {@link Link#delayRequests}: there is a network, with a proxy in it. */
    NETWORK,
    /** {@link ContractEnvironment#deleteGrant}. */
    DELETE_GRANT,
    /** {@link ContractEnvironment#loseAllData}. */
    LOSE_DATA,
    /** {@link ContractEnvironment#pauseStore} and {@link ContractEnvironment#resumeStore}. */
    PAUSE_STORE,
    /** {@link ContractEnvironment#leftovers} really looks. */
    LIST,
    /** Virtual threads: not the environment's, but the JDK's. */
    VIRTUAL_THREADS
}
