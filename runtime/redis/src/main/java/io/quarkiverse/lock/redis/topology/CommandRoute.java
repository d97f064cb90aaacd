package io.quarkiverse.lock.redis.topology;

import java.util.List;

import io.quarkiverse.lock.redis.script.Call;

/** Sends each call to the server that it concerns. Event loop only. */
abstract class CommandRoute {

    /** Connects, so that the first call need not wait for it. */
    abstract void open();

    abstract void send(Call call);

    /** All masters, in an order that stays the same; none while they are not known. */
    abstract List<String> masters();

    /** Sends it to one of the {@link #masters}, whatever it concerns. */
    abstract void sendTo(String master, Call call);

    abstract void close();
}
