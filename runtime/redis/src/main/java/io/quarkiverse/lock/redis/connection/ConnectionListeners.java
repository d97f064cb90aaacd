package io.quarkiverse.lock.redis.connection;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** The backends that use the connections of this JVM. */
public final class ConnectionListeners implements ConnectionListener {

    private final List<ConnectionListener> all = new CopyOnWriteArrayList<>();
    private final AtomicInteger count = new AtomicInteger();

    public void add(ConnectionListener listener) {
        count.incrementAndGet();
        all.add(listener);
    }

    /** @return whether it was the last one */
    public boolean remove(ConnectionListener listener) {
        return all.remove(listener) && count.decrementAndGet() == 0;
    }

    public boolean any() {
        return count.get() > 0;
    }

    @Override
    public void recheck() {
        for (ConnectionListener each : all) {
            each.recheck();
        }
    }

    @Override
    public void disconnected() {
        for (ConnectionListener each : all) {
            each.disconnected();
        }
    }

    @Override
    public void message(int server, String payload) {
        for (ConnectionListener each : all) {
            each.message(server, payload);
        }
    }
}
