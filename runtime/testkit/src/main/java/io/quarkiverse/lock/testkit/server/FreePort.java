package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * A port that nobody listens on, for now. It lies below the range from which operating systems assign ports to outgoing
 * connections. One of those could take it before the server listens, or while the server restarts.
 *
 * <p>
 * No other JVM finds it before this one ends. While a server is down its clients go on dialing, and a sentinel would even make
 * a replica of whatever server listens there next.
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

    /** A JVM has its ports in blocks: by listening on the first port of a block, it reserves all the others. */
    private static final int BLOCK = 100;
    private static final int BLOCKS = (HIGHEST - LOWEST) / BLOCK;
    /** After so many blocks, a JVM begins with its first one again. */
    private static final int BLOCKS_OF_A_JVM = 8;
    private static final List<ServerSocket> OWN = new ArrayList<>();
    private static int found;

    private FreePort() {
    }

    /** Returns a port of the loopback interface. */
    public static int find() {
        return find(false);
    }

    /** @param cluster whether the port for the other nodes has to be free as well */
    static synchronized int find(boolean cluster) {
        while (true) {
            int port = next();
            if (isFree(port) && (!cluster || isFree(port + BUS))) {
                return port;
            }
        }
    }

    private static int next() {
        int each = BLOCK - 1; // without the first one
        int block = found / each % BLOCKS_OF_A_JVM;
        if (block == OWN.size()) {
            OWN.add(freeBlock());
        }
        return OWN.get(block).getLocalPort() + 1 + found++ % each;
    }

    private static ServerSocket freeBlock() {
        int start = ThreadLocalRandom.current().nextInt(BLOCKS);
        for (int i = 0; i < BLOCKS; i++) {
            ServerSocket first = listen(LOWEST + (start + i) % BLOCKS * BLOCK);
            if (first != null) {
                return first;
            }
        }
        throw new IllegalStateException("Other JVMs have all ports from " + LOWEST + " to " + HIGHEST);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = listen(port)) {
            return socket != null;
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable ServerSocket listen(int port) {
        try {
            return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            return null;
        }
    }
}
