package io.quarkiverse.lock.jpa.notify;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

/**
 * Sockets for connections that listen to PostgreSQL. After each message its driver waits for another one for a millisecond, the
 * shortest time-out that a socket knows, and keeps the first to itself until then ({@code PGStream.hasMessagePending}): each
 * hand-over of a lock would take that much longer. Here such a wait is over at once when there is nothing to read.
 * <p>
 * Public for the driver, which is given the name of this class.
 *
 * <pre>{@code
 * DriverManager.getConnection(PromptSockets.in("jdbc:postgresql://localhost/shop"));
 * }</pre>
 */
public final class PromptSockets extends SocketFactory {

    private static final String DRIVER = "org.postgresql.Driver";
    private static final String SCHEME = "jdbc:postgresql:";
    private static final String PARAMETER = "socketFactory";
    /** What the driver asks for when it only wants to see whether there is more. */
    private static final int GLANCE_MILLIS = 1;

    /** The URL with these sockets, if it is one of PostgreSQL's driver, which can find them, and names no others. */
    public static String in(String url) {
        return url.startsWith(SCHEME) && !url.contains(PARAMETER + "=") && known()
                ? url + (url.contains("?") ? "&" : "?") + PARAMETER + "=" + PromptSockets.class.getName()
                : url;
    }

    /** In Quarkus' development mode the driver is in a class loader of its own, from where it sees nothing of ours. */
    private static boolean known() {
        try {
            return knownTo(Class.forName(DRIVER, false, PromptSockets.class.getClassLoader()).getClassLoader());
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    public static boolean knownTo(@Nullable ClassLoader driver) {
        try {
            return Class.forName(PromptSockets.class.getName(), false, driver) == PromptSockets.class;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static final class PromptSocket extends Socket {

        private volatile boolean glancing;

        @Override
        public void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            glancing = millis == GLANCE_MILLIS;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {

                @Override
                public int read() throws IOException {
                    glance();
                    return super.read();
                }

                @Override
                public int read(byte[] into, int offset, int length) throws IOException {
                    glance();
                    return super.read(into, offset, length);
                }

                private void glance() throws IOException {
                    if (glancing && available() == 0) {
                        glancing = false; // whoever reads on all the same waits, and sees the end of the connection
                        throw new SocketTimeoutException("Nothing to read");
                    }
                }
            };
        }
    }

    /** Not connected: this is the one that the driver uses. */
    @Override
    public Socket createSocket() {
        return new PromptSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(null, new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(localHost, localPort), new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(null, new InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(localHost, localPort), new InetSocketAddress(host, port));
    }

    private Socket connected(@Nullable InetSocketAddress local, InetSocketAddress remote) throws IOException {
        Socket socket = createSocket();
        try {
            socket.bind(local);
            socket.connect(remote);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
