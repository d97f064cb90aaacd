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
 * Sockets for connections that listen to PostgreSQL. After each message, the driver waits one millisecond, a socket's shortest
 * timeout, for another one, and withholds the first until then ({@code PGStream.hasMessagePending}). Each hand-over of a lock
 * would take that much longer. With these sockets, the wait ends at once when there is nothing to read.
 * <p>
 * Public because the driver loads this class by name.
 *
 * <pre>{@code
 * DriverManager.getConnection(PromptSockets.in("jdbc:postgresql://localhost/shop"));
 * }</pre>
 */
public final class PromptSockets extends SocketFactory {

    private static final String DRIVER = "org.postgresql.Driver";
    private static final String SCHEME = "jdbc:postgresql:";
    private static final String PARAMETER = "socketFactory";
    /** The timeout that the driver sets only to check whether there is more. */
    private static final int GLANCE_MILLIS = 1;

    /**
     * The URL with these sockets, if it belongs to PostgreSQL's driver, the driver can find this class, and no other sockets
     * are set.
     */
    public static String in(String url) {
        return url.startsWith(SCHEME) && !url.contains(PARAMETER + "=") && known()
                ? url + (url.contains("?") ? "&" : "?") + PARAMETER + "=" + PromptSockets.class.getName()
                : url;
    }

    /** In Quarkus' development mode, the driver's own class loader does not see this class. */
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
                        glancing = false; // a further read waits normally, and sees the end of the connection
                        throw new SocketTimeoutException("Nothing to read");
                    }
                }
            };
        }
    }

    /** Not connected: the driver uses this method. */
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
