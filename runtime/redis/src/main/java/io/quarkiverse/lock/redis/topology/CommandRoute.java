package io.quarkiverse.lock.redis.topology;

import io.quarkiverse.lock.redis.script.Call;

/** The way of a call to the server that it is for. Event loop only. */
abstract class CommandRoute {

    /** Connects, so that the first call need not wait for it. */
    abstract void open();

    abstract void send(Call call);

    abstract void close();
}
