package io.quarkiverse.lock.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A port that nobody listens on, for now. */
final class FreePort {

    /** How far from its port a node of a cluster listens for the other nodes. */
    private static final int BUS = 10_000;
    private static final int HIGHEST = 65_535;

    private FreePort() {
    }

    /** @param cluster whether the port for the other nodes has to be free as well */
    static int find(boolean cluster) {
        while (true) {
            int port = listen(0);
            if (!cluster || port + BUS <= HIGHEST && listen(port + BUS) > 0) {
                return port;
            }
        }
    }

    /** Returns 0 if the port is taken. */
    private static int listen(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            if (port == 0) {
                throw new UncheckedIOException(e);
            }
            return 0;
        }
    }
}
