package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.server.DatabaseServer;

/** A server that accepts its first connection and says nothing, until it goes on; it answers all others at once. */
public final class HangingOnce implements UnpooledConnections {

    private final DatabaseServer server;
    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch goingOn = new CountDownLatch(1);
    private final List<Connection> late = new CopyOnWriteArrayList<>();

    public HangingOnce(DatabaseServer server) {
        this.server = server;
    }

    @Override
    public Connection open() throws SQLException {
        if (asked.incrementAndGet() > 1) {
            return server.connect();
        }
        boolean waiting = true;
        while (waiting) { // no driver ends such a wait when its thread is interrupted
            try {
                goingOn.await();
                waiting = false;
            } catch (InterruptedException e) {
                continue;
            }
        }
        Connection made = server.connect();
        late.add(made);
        return made;
    }

    /** How often a connection was asked for. */
    public int asked() {
        return asked.get();
    }

    /** Lets the first connection be made. */
    public void goOn() {
        goingOn.countDown();
    }

    /** What was made too late is not left behind. */
    public void awaitEndOfLate(Duration atMost) {
        goOn();
        Await.until("the late connection is closed", atMost, () -> late.size() == 1 && late.get(0).isClosed());
    }
}
