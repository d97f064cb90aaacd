package io.quarkiverse.lock.redis.connection;

/** Is notified of what happens to the connections; on the event loop. */
public interface ConnectionListener {

    /** Messages may have been missed, or arrive from now on, or the server may be another one. */
    void recheck();

    /** There are no answers for now. */
    void disconnected();

    void message(String payload);
}
