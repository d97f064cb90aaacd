package io.quarkiverse.lock.redis.connection;

/** Notified of connection events, on the event loop. */
public interface ConnectionListener {

    /** Messages may have been missed, or arrive from now on, or the server may have changed. */
    void recheck();

    /** There are no answers for now. */
    void disconnected();

    /** @param server which of several has sent it; 0 where there is only one, or where that does not matter */
    void message(int server, String payload);
}
