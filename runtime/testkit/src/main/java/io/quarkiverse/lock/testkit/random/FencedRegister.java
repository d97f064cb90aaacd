package io.quarkiverse.lock.testkit.random;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.quarkiverse.lock.testkit.history.HistoryEvent;

/**
 * The counters of the lock holders in several JVMs: for each lock one number behind a fence, and one where nobody compares
 * tokens. The first must be right whatever happens; the second shows what would have happened without the fence.
 * <p>
 * A read passes the fence too. Otherwise a holder that reads first and writes last would undo what a later holder had written
 * in between, with a token that is not greater yet. A line {@code R token name} is answered with both numbers, the first of
 * them -1 if it is refused; {@code W token fenced unfenced name} with 1 if the fence let it through, else 0.
 */
public final class FencedRegister implements AutoCloseable {

    private static final class Numbers {
        private long highest;
        private long fenced;
        private long unfenced;
        private long unfencedWrites;
    }

    private final ServerSocket listener;
    private final Consumer<HistoryEvent> history;
    private final Map<String, Numbers> byName = new TreeMap<>();
    private long last;
    private long accepted;
    private long refused;

    /** @param history receives what the fence lets through, and what it refuses */
    public FencedRegister(Consumer<HistoryEvent> history) {
        this.history = history;
        try {
            listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::acceptAll);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** How many writes the fences let through. */
    public synchronized long accepted() {
        return accepted;
    }

    /** How many reads and writes the fences refused: each came from a holder that no longer was one. */
    public synchronized long refused() {
        return refused;
    }

    /** How many increments are missing where there is no fence. */
    public synchronized long damage() {
        return byName.values().stream().mapToLong(each -> each.unfencedWrites - each.unfenced).sum();
    }

    private void acceptAll() {
        while (true) {
            try {
                Socket socket = listener.accept();
                daemon(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void daemon(Runnable task) {
        var thread = new Thread(task, "register");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                socket.getOutputStream().write((answer(line) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // The holder is gone
        }
    }

    private String answer(String line) {
        String[] word = line.split(" ", 3);
        long token = Long.parseLong(word[1]);
        if (word[0].equals("R")) {
            return read(word[2], token);
        }
        String[] rest = word[2].split(" ", 3);
        return write(rest[2], token, Long.parseLong(rest[0]), Long.parseLong(rest[1])) ? "1" : "0";
    }

    private synchronized String read(String name, long token) {
        Numbers numbers = byName.computeIfAbsent(name, each -> new Numbers());
        return (passes(name, numbers, token) ? numbers.fenced : -1) + " " + numbers.unfenced;
    }

    private synchronized boolean write(String name, long token, long fenced, long unfenced) {
        Numbers numbers = byName.computeIfAbsent(name, each -> new Numbers());
        numbers.unfenced = unfenced;
        numbers.unfencedWrites++;
        if (fenced < 0 || !passes(name, numbers, token)) {
            return false;
        }
        numbers.fenced = fenced;
        accepted++;
        history.accept(HistoryEvent.written(name, token, now(), fenced));
        return true;
    }

    private boolean passes(String name, Numbers numbers, long token) {
        if (token < numbers.highest) {
            refused++;
            long now = now();
            history.accept(HistoryEvent.rejected(name, token, now, now));
            return false;
        }
        numbers.highest = token;
        return true;
    }

    /** Ensures that no two writes have the same time. */
    private long now() {
        last = Math.max(last + 1, System.nanoTime());
        return last;
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
