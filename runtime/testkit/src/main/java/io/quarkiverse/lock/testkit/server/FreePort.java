package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port that nobody listens on, for now. It lies below the range from which operating systems assign ports to outgoing
 * connections. One of those could take it before the server listens, or while the server restarts.
 *
 * <pre>{@code
 * int port = FreePort.find();
 * }</pre>
 */
public final class FreePort {

    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 22_000;
    /** The offset of the port on which a cluster node listens for the other nodes: it must lie below that range too. */
    static final int BUS = 10_000;

    /** Each JVM starts its search at a different place, so that no two servers that start together get the same port. */
    private static final AtomicInteger NEXT = new AtomicInteger(ThreadLocalRandom.current().nextInt(HIGHEST - LOWEST));

    private FreePort() {
    }

    /** Returns a port of the loopback interface. */
    public static int find() {
        return find(false);
    }

    /** @param cluster whether the port for the other nodes has to be free as well */
    static int find(boolean cluster) {
        while (true) {
            int port = LOWEST + Math.floorMod(NEXT.getAndIncrement(), HIGHEST - LOWEST);
            if (isFree(port) && (!cluster || isFree(port + BUS))) {
                return port;
            }
        }
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
