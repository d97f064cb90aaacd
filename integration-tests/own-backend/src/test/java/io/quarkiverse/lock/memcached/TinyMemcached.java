package io.quarkiverse.lock.memcached;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of memcached that the example uses, so that the build needs none: its text protocol, and expiry in whole seconds.
 */
final class TinyMemcached implements AutoCloseable {

    /** A larger number is a date. */
    private static final long LONGEST_SECONDS = Duration.ofDays(30).toSeconds();

    private record Item(String flags, byte[] value, long cas, long expiresAt) {
    }

    private final ServerSocket server;
    private final Map<String, Item> items = new HashMap<>();
    private long lastCas;
    private boolean paused;

    private TinyMemcached(ServerSocket server) {
        this.server = server;
    }

    static TinyMemcached start() throws IOException {
        var started = new TinyMemcached(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        start("accept", started::accept);
        return started;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private static void start(String name, Runnable task) {
        var thread = new Thread(task, "tiny-memcached-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                client.setTcpNoDelay(true);
                start("serve", () -> serve(client));
            } catch (IOException e) {
                if (!server.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            InputStream in = new BufferedInputStream(client.getInputStream());
            OutputStream out = client.getOutputStream();
            for (String line = line(in); line != null && !line.equals("quit"); line = line(in)) {
                out.write(answer(line.split(" "), in).getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
            }
        } catch (IOException e) {
            // the client has gone
        }
    }

    private String answer(String[] words, InputStream in) throws IOException {
        byte[] value = new byte[0];
        if (List.of("add", "set", "cas").contains(words[0])) {
            value = in.readNBytes(Integer.parseInt(words[4]));
            line(in);
        }
        synchronized (items) {
            awaitResumed();
            return switch (words[0]) {
                case "get", "gets" -> get(words);
                case "add" -> item(words[1]) != null ? "NOT_STORED\r\n" : store(words, value);
                case "set" -> store(words, value);
                case "cas" -> compareAndSet(words, value);
                case "incr" -> increment(words[1], Long.parseLong(words[2]));
                case "delete" -> item(words[1]) == null || items.remove(words[1]) == null ? "NOT_FOUND\r\n" : "DELETED\r\n";
                case "version" -> "VERSION 1.6.0\r\n";
                default -> "ERROR\r\n";
            };
        }
    }

    private void awaitResumed() throws IOException {
        try {
            while (paused) {
                items.wait();
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    /** While paused, it answers nobody. */
    void pause(boolean paused) {
        synchronized (items) {
            this.paused = paused;
            items.notifyAll();
        }
    }

    void deleteAll() {
        synchronized (items) {
            items.clear();
        }
    }

    void delete(String key) {
        synchronized (items) {
            items.remove(key);
        }
    }

    /** The keys that have not expired. */
    List<String> keys() {
        synchronized (items) {
            return List.copyOf(items.keySet()).stream().filter(key -> item(key) != null).toList();
        }
    }

    private String get(String[] words) {
        var found = new StringBuilder();
        for (int i = 1; i < words.length; i++) {
            Item item = item(words[i]);
            if (item != null) {
                found.append("VALUE ").append(words[i]).append(' ').append(item.flags).append(' ').append(item.value.length);
                if (words[0].equals("gets")) {
                    found.append(' ').append(item.cas);
                }
                found.append("\r\n").append(new String(item.value, StandardCharsets.ISO_8859_1)).append("\r\n");
            }
        }
        return found.append("END\r\n").toString();
    }

    private String compareAndSet(String[] words, byte[] value) {
        Item item = item(words[1]);
        if (item == null) {
            return "NOT_FOUND\r\n";
        }
        return item.cas == Long.parseLong(words[5]) ? store(words, value) : "EXISTS\r\n";
    }

    private String increment(String key, long by) {
        Item item = item(key);
        if (item == null) {
            return "NOT_FOUND\r\n";
        }
        String next = String.valueOf(Long.parseLong(new String(item.value, StandardCharsets.ISO_8859_1).strip()) + by);
        items.put(key, new Item(item.flags, next.getBytes(StandardCharsets.ISO_8859_1), ++lastCas, item.expiresAt));
        return next + "\r\n";
    }

    private String store(String[] words, byte[] value) {
        items.put(words[1], new Item(words[2], value, ++lastCas, expiresAt(Long.parseLong(words[3]))));
        return "STORED\r\n";
    }

    private static long expiresAt(long expiry) {
        if (expiry == 0) {
            return Long.MAX_VALUE;
        }
        return now() + (expiry <= LONGEST_SECONDS ? expiry : expiry - System.currentTimeMillis() / 1000);
    }

    /** Null if it has expired. */
    private Item item(String key) {
        Item item = items.get(key);
        if (item != null && item.expiresAt <= now()) {
            items.remove(key);
            return null;
        }
        return item;
    }

    private static long now() {
        return System.nanoTime() / 1_000_000_000;
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
