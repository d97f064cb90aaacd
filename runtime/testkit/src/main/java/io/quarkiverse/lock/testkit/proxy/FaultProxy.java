package io.quarkiverse.lock.testkit.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.server.FreePort;

/**
 * Stands between a client and its server, on its own loopback port, and fails on command. Every switch acts at once, on open
 * connections too, and may be made from any thread.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to(server.host(), server.port())) {
 *     // the client connects to proxy.host(), proxy.port()
 *     proxy.blackhole();
 *     ...
 *     proxy.pass();
 * }
 * }</pre>
 */
public final class FaultProxy implements AutoCloseable {

    private static final int MOST_ATTEMPTS = 20;

    private final InetSocketAddress target;
    private final int port;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    private volatile Mode mode = Mode.PASS;
    private volatile long requestDelay;
    private volatile long replyDelay;
    private volatile @Nullable String replyToDrop;
    private @Nullable ServerSocket listener;
    private @Nullable Thread acceptor;
    private int accepted;

    private FaultProxy(InetSocketAddress target) {
        this.target = target;
        this.port = listen();
    }

    /** Starts a proxy that passes everything. The server need not run yet. */
    public static FaultProxy to(String host, int port) {
        return new FaultProxy(new InetSocketAddress(host, port));
    }

    public String host() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    /** Constant for the whole life of the proxy. */
    public int port() {
        return port;
    }

    /** Ends every fault: copies everything at once, and accepts connections. */
    public void pass() {
        requestDelay = 0;
        replyDelay = 0;
        replyToDrop = null;
        mode(Mode.PASS);
        accept();
    }

    /** Requests arrive later by this delay, in order. Data already in flight keeps its delay. */
    public void delayRequests(Duration delay) {
        requestDelay = delay.toNanos();
    }

    /** Replies arrive later by this delay, in order. */
    public void delayReplies(Duration delay) {
        replyDelay = delay.toNanos();
    }

    /** {@link Mode#BLACKHOLE} for all connections. */
    public void blackhole() {
        mode(Mode.BLACKHOLE);
    }

    /** {@link Mode#RESET} for all connections. */
    public void reset() {
        mode(Mode.RESET);
    }

    /** {@link Mode#DROP_REPLIES} for all connections. */
    public void dropReplies() {
        mode(Mode.DROP_REPLIES);
    }

    /**
     * Once: the next request that contains {@code text} reaches the server, and its connection is reset instead of carrying the
     * reply. The empty text means any request.
     */
    public void dropReplyTo(String text) {
        replyToDrop = text;
    }

    /** Whether {@link #dropReplyTo} is still waiting for its request. */
    public boolean dropPending() {
        return replyToDrop != null;
    }

    /** Resets the open connections; new ones work as before. */
    public void cut() {
        connections.forEach(Connection::reset);
    }

    /** Refuses new connections, as if the server did not run; open ones continue. */
    public synchronized void refuse() {
        if (listener == null || acceptor == null) {
            return;
        }
        try {
            listener.close();
            // The kernel releases the port, and refuses, only when nobody accepts on it any more
            acceptor.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listener = null;
    }

    /** Accepts connections again after {@link #refuse}. */
    public synchronized void accept() {
        if (listener == null) {
            listen(port);
        }
    }

    /** As if the server's machine had gone: refuses new connections and resets the others. */
    public void down() {
        refuse();
        cut();
    }

    public Mode mode() {
        return mode;
    }

    /** The open connections, to control one of them individually. */
    public List<Connection> connections() {
        return List.copyOf(connections);
    }

    /** How many connections have been made in total. */
    public int accepted() {
        synchronized (connections) {
            return accepted;
        }
    }

    @Override
    public void close() {
        refuse();
        connections.forEach(Connection::close);
    }

    long delay(boolean request) {
        return request ? requestDelay : replyDelay;
    }

    /** Whether the reply to this request is to be dropped; true for one request only. */
    synchronized boolean dropsReplyTo(String request) {
        String text = replyToDrop;
        if (text == null || !request.contains(text)) {
            return false;
        }
        replyToDrop = null;
        return true;
    }

    void ended(Connection connection) {
        connections.remove(connection);
    }

    private void mode(Mode mode) {
        synchronized (connections) {
            this.mode = mode;
            connections.forEach(connection -> connection.mode(mode));
        }
    }

    /** Uses a port that the kernel assigns to nobody: otherwise somebody may get it while this proxy refuses connections. */
    private int listen() {
        for (int attempts = 1;; attempts++) {
            try {
                return listen(FreePort.find());
            } catch (UncheckedIOException e) {
                if (attempts == MOST_ATTEMPTS) {
                    throw e;
                } // else another process was quicker
            }
        }
    }

    private synchronized int listen(int port) {
        try {
            var socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            listener = socket;
            acceptor = Connection.daemon("proxy-" + socket.getLocalPort(), () -> acceptAll(socket));
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void acceptAll(ServerSocket listener) {
        while (true) {
            try {
                open(listener.accept());
            } catch (IOException e) {
                return;
            }
        }
    }

    private void open(Socket client) {
        synchronized (connections) {
            accepted++;
            var connection = new Connection(this, client, target);
            connections.add(connection);
            connection.mode(mode);
            connection.start();
        }
    }
}
