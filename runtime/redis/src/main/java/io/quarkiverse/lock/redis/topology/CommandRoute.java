package io.quarkiverse.lock.redis.topology;

import io.quarkiverse.lock.redis.script.Call;

/** Sends each call to the server that it concerns. Event loop only. */
abstract class CommandRoute {

    /** Connects, so that the first call need not wait for it. */
    abstract void open();

    abstract void send(Call call);

    abstract void close();
}
