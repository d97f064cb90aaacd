package io.quarkiverse.lock.redis.topology;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers as a node of a cluster does, and knows no more of it than it has been told. */
final class StubNode implements AutoCloseable {

    static final int SLOTS = 16_384;

    /** How often it was asked who has which slot. */
    final AtomicInteger looks = new AtomicInteger();
    /** How many scripts it has run. */
    final AtomicInteger calls = new AtomicInteger();

    private final ServerSocket listener;
    /** {@code null} while it runs scripts. */
    private volatile Runnable refusing;
    private volatile String table;

    StubNode() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        owners(this, this);
        daemon(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** From now on, it refuses all scripts. */
    void refuse() {
        refuse(() -> {
        });
    }

    /** @param refusing run before each refusal */
    void refuse(Runnable refusing) {
        this.refusing = refusing;
    }

    void goOn() {
        refusing = null;
    }

    /** @param lower has the lower half of the slots, as far as this node knows */
    void owners(StubNode lower, StubNode upper) {
        table = "*2\r\n" + range(0, SLOTS / 2, lower) + range(SLOTS / 2, SLOTS, upper);
    }

    private static String range(int from, int to, StubNode owner) {
        return "*3\r\n:" + from + "\r\n:" + (to - 1) + "\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + owner.listener.getLocalPort()
                + "\r\n";
    }

    private static void daemon(Runnable task) {
        var thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                daemon(() -> serve(client));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket client) {
        try (client) {
            var in = new BufferedReader(new InputStreamReader(client.getInputStream(), ISO_8859_1));
            for (String line; (line = in.readLine()) != null;) {
                var words = new ArrayList<String>();
                for (int left = Integer.parseInt(line.substring(1)); left > 0; left--) {
                    in.readLine(); // the length
                    words.add(in.readLine());
                }
                client.getOutputStream().write(answer(words).getBytes(ISO_8859_1));
            }
        } catch (IOException e) {
            // the client has gone
        }
    }

    private String answer(List<String> words) {
        switch (words.get(0).toUpperCase(Locale.ROOT)) {
            case "PING" -> {
                return "+PONG\r\n";
            }
            case "CLUSTER" -> {
                looks.incrementAndGet();
                return table;
            }
            case "EVALSHA" -> {
                Runnable before = refusing;
                if (before != null) {
                    before.run();
                    return "-CLUSTERDOWN The cluster is down\r\n";
                }
                calls.incrementAndGet();
                return "+OK\r\n";
            }
            default -> {
                return "-ERR unknown command\r\n";
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
