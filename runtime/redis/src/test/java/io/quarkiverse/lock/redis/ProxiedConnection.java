package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

import io.quarkiverse.lock.testkit.proxy.Connection;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.proxy.Mode;
import io.quarkiverse.lock.testkit.server.RedisServer;

/**
 * One JVM's path to Redis: a proxy that tells the connection for messages from the one for commands. Anyone who acts on it
 * must hold its lock.
 */
final class ProxiedConnection implements AutoCloseable {

    private static final long MOMENT = 10_000_000;

    final ReentrantLock lock = new ReentrantLock();
    private final String process;
    private final Duration operationTimeout;
    private final FaultProxy proxy;

    ProxiedConnection(String process, Duration operationTimeout, RedisServer server) {
        this.process = process;
        this.operationTimeout = operationTimeout;
        this.proxy = FaultProxy.to(server.host(), server.port());
    }

    FaultProxy proxy() {
        return proxy;
    }

    Duration operationTimeout() {
        return operationTimeout;
    }

    /** Whether its client waits longer for a reply than the shortest leases last. */
    boolean patient() {
        return operationTimeout.toSeconds() > 1;
    }

    String url() {
        return "redis://" + proxy.host() + ":" + proxy.port();
    }

    private List<Connection> subscribers() {
        return proxy.connections().stream().filter(ProxiedConnection::subscribes).toList();
    }

    private static boolean subscribes(Connection connection) {
        return connection.sent().toUpperCase(Locale.ROOT).contains("\r\nSUBSCRIBE");
    }

    /** Until the proxy passes again; the connection is reset then. */
    void dropMessages() {
        subscribers().forEach(each -> each.mode(Mode.DROP_REPLIES));
    }

    /** Until the proxy passes again; they arrive then. */
    void holdMessages() {
        subscribers().forEach(each -> each.mode(Mode.BLACKHOLE));
    }

    /**
     * What is sent over the present connections arrives when the proxy passes again; new connections pass. A patient client
     * would not open any.
     */
    void holdRequests() {
        if (patient()) {
            return;
        }
        proxy.connections().stream().filter(each -> !subscribes(each)).forEach(each -> each.mode(Mode.BLACKHOLE));
    }

    /** Messages on their way arrive, but commands do not: those arrive when the proxy passes again. */
    void onlyMessages() {
        proxy.blackhole();
        subscribers().forEach(each -> each.mode(Mode.PASS));
    }

    /** After silence: at first only commands pass, then messages too, while commands are slow. */
    void commandsBeforeMessages(LongConsumer pause, long nanos) {
        List<Connection> held = subscribers();
        for (long gone = 0; gone < nanos; gone += MOMENT) {
            // Repeatedly, for the new connections
            proxy.connections().stream().filter(each -> !held.contains(each)).forEach(each -> each.mode(Mode.PASS));
            pause.accept(MOMENT);
        }
        proxy.delayRequests(Duration.ofMillis(200));
        held.forEach(each -> each.mode(Mode.PASS));
        pause.accept(25 * MOMENT);
    }

    @Override
    public void close() {
        proxy.close();
    }

    @Override
    public String toString() {
        return process;
    }
}
