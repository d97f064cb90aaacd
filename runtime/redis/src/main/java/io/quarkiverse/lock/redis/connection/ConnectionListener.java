package io.quarkiverse.lock.redis.connection;

/** Notified of connection events, on the event loop. */
public interface ConnectionListener {

    /** Messages may have been missed, or arrive from now on, or the server may have changed. */
    void recheck();

    /** There are no answers for now. */
    void disconnected();

    void message(String payload);
}
