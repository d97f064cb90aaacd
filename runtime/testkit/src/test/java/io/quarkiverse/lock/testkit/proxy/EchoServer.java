package io.quarkiverse.lock.testkit.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sends back what it receives, and remembers it. */
final class EchoServer implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    final List<String> requests = new CopyOnWriteArrayList<>();

    EchoServer() throws IOException {
        Connection.daemon("echo", this::serve);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void serve() {
        try {
            while (true) {
                Socket client = socket.accept();
                Connection.daemon("echo-client", () -> echo(client));
            }
        } catch (IOException e) {
            // Closed
        }
    }

    private void echo(Socket client) {
        byte[] buffer = new byte[1024];
        try (client) {
            for (int n = client.getInputStream().read(buffer); n >= 0; n = client.getInputStream().read(buffer)) {
                requests.add(new String(buffer, 0, n, StandardCharsets.UTF_8));
                client.getOutputStream().write(buffer, 0, n);
            }
        } catch (IOException e) {
            requests.add("<reset>");
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
