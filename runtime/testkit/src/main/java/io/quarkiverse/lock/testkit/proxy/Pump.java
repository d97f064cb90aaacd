package io.quarkiverse.lock.testkit.proxy;

import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * One direction of a connection. One thread reads and timestamps data, another writes it when its time has come, so that a
 * delay adds latency and does not limit the throughput.
 */
final class Pump {

    private static final byte[] END = {};
    private static final byte[] BROKEN = {};

    private final Connection connection;
    private final Socket from;
    private final Socket to;
    private final boolean requests;
    private final BlockingQueue<Chunk> onTheWay = new LinkedBlockingQueue<>();

    private record Chunk(byte[] bytes, long due) {
    }

    Pump(Connection connection, Socket from, Socket to, boolean requests) {
        this.connection = connection;
        this.from = from;
        this.to = to;
        this.requests = requests;
    }

    void start() {
        Connection.daemon("proxy-read", this::read);
        Connection.daemon("proxy-write", this::write);
    }

    private void read() {
        byte[] buffer = new byte[16 * 1024];
        byte[] last = BROKEN;
        try {
            for (int length = from.getInputStream().read(buffer); length >= 0; length = from.getInputStream().read(buffer)) {
                if (requests) {
                    connection.requested(buffer, length);
                }
                pass(Arrays.copyOf(buffer, length));
            }
            last = END;
        } catch (IOException e) {
            // The other side learns of this in turn: after all earlier bytes, and not through a black hole
        } finally {
            pass(last);
        }
    }

    private void pass(byte[] bytes) {
        onTheWay.add(new Chunk(bytes, System.nanoTime() + connection.delay(requests)));
    }

    private void write() {
        try {
            while (true) {
                Chunk chunk = onTheWay.take();
                awaitTime(chunk.due);
                boolean passes = connection.passes(requests);
                if (chunk.bytes == END) {
                    connection.close();
                    return;
                }
                if (chunk.bytes == BROKEN) {
                    connection.reset();
                    return;
                }
                if (passes) {
                    to.getOutputStream().write(chunk.bytes);
                }
            }
        } catch (IOException e) {
            connection.reset();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void awaitTime(long due) {
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
