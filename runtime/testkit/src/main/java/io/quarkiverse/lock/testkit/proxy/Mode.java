package io.quarkiverse.lock.testkit.proxy;

/** What a {@link FaultProxy} does with a connection. */
public enum Mode {
    /** Copies everything, after the proxy's delays. */
    PASS,
    /**
     * Keeps the connection open and copies nothing; what is on its way arrives when the mode ends, as after a partition of the
     * network. New connections are accepted and stay silent too.
     */
    BLACKHOLE,
    /** Resets (RST) what is open and every new connection. */
    RESET,
    /**
     * Copies requests and throws replies away. A connection that missed a reply is reset when the mode ends, because nothing
     * can be made of its later bytes.
     */
    DROP_REPLIES
}
