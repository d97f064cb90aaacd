package io.quarkiverse.lock.testkit.proxy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** One connection through a {@link FaultProxy}. */
public final class Connection {

    private static final int REMEMBERED = 64 * 1024;

    private final FaultProxy proxy;
    private final Socket client;
    private final Socket server = new Socket();
    private final InetSocketAddress target;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    private Mode mode = Mode.PASS;
    private boolean repliesMissed;
    private volatile boolean nextReplyResets;

    Connection(FaultProxy proxy, Socket client, InetSocketAddress target) {
        this.proxy = proxy;
        this.client = client;
        this.target = target;
    }

    /** The first 64 KiB that the client has sent, as ISO-8859-1: distinguishes a subscriber's connection from the others. */
    public String sent() {
        synchronized (sent) {
            return sent.toString(StandardCharsets.ISO_8859_1);
        }
    }

    /** Gives this connection a different mode than the proxy's, until the proxy's mode is set again. */
    public synchronized void mode(Mode mode) {
        this.mode = mode;
        if (mode == Mode.RESET || (mode != Mode.DROP_REPLIES && repliesMissed)) {
            reset();
        }
        notifyAll();
    }

    /** Resets the connection on both sides. */
    public void reset() {
        end(true);
    }

    void close() {
        end(false);
    }

    void start() {
        daemon("proxy-connect", this::connect);
    }

    private void connect() {
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            awaitNot(Mode.BLACKHOLE);
            server.connect(target, 10_000);
            new Pump(this, client, server, true).start();
            new Pump(this, server, client, false).start();
        } catch (IOException e) {
            reset();
        }
    }

    /** Remembers a request, and notes whether to drop its reply. */
    void requested(byte[] bytes, int length) {
        synchronized (sent) {
            sent.write(bytes, 0, Math.min(length, REMEMBERED - Math.min(REMEMBERED, sent.size())));
        }
        if (proxy.dropsReplyTo(new String(bytes, 0, length, StandardCharsets.ISO_8859_1))) {
            nextReplyResets = true;
        }
    }

    /** Waits until data may pass. Returns whether to copy it or discard it. */
    synchronized boolean passes(boolean request) {
        awaitNot(Mode.BLACKHOLE);
        if (request) {
            return true;
        }
        if (nextReplyResets) {
            reset();
            return false;
        }
        if (mode == Mode.DROP_REPLIES) {
            repliesMissed = true;
            return false;
        }
        return true;
    }

    long delay(boolean request) {
        return proxy.delay(request);
    }

    private synchronized void awaitNot(Mode unwanted) {
        while (mode == unwanted && !ended.get()) {
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void end(boolean reset) {
        if (ended.compareAndSet(false, true)) {
            proxy.ended(this);
            close(client, reset);
            close(server, reset);
            synchronized (this) {
                notifyAll();
            }
        }
    }

    private static void close(Socket socket, boolean reset) {
        try (socket) {
            if (reset) {
                // Whether or not data is unsent, the other side sees RST instead of a normal end
                socket.setSoLinger(true, 0);
            }
        } catch (IOException e) {
            // It is already closed
        }
    }

    static Thread daemon(String name, Runnable task) {
        var thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
