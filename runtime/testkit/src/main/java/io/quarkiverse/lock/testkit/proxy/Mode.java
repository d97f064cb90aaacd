package io.quarkiverse.lock.testkit.proxy;

/** What a {@link FaultProxy} does with a connection. */
public enum Mode {
    /** Copies everything, after the proxy's delays. */
    PASS,
    /**
     * Keeps the connection open and copies nothing. Data in flight arrives when the mode ends, as after a network partition.
     * New connections are accepted and stay silent too.
     */
    BLACKHOLE,
    /** Resets (RST) open connections and every new one. */
    RESET,
    /**
     * Copies requests and discards replies. A connection that missed a reply is reset when the mode ends, because its later
     * bytes would be meaningless.
     */
    DROP_REPLIES
}
