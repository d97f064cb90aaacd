package io.quarkiverse.lock.testkit.random;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedDeque;

import io.quarkiverse.lock.LockHandle;

/**
 * Adds one to the numbers of a {@link FencedRegister}: reads them once it has the lock, and writes them before it releases it,
 * without checking whether it still has it.
 */
final class CountingDuty implements Duty {

    private static final long REFUSED = -1;

    private final int port;
    private final ConcurrentLinkedDeque<Line> idle = new ConcurrentLinkedDeque<>();

    CountingDuty(int port) {
        this.port = port;
    }

    @Override
    public Runnable begin(LockHandle handle) {
        String[] numbers = ask("R " + handle.fencingToken() + " " + handle.name()).split(" ");
        long fenced = Long.parseLong(numbers[0]);
        long unfenced = Long.parseLong(numbers[1]) + 1;
        return () -> ask("W " + handle.fencingToken() + " " + (fenced == REFUSED ? REFUSED : fenced + 1) + " " + unfenced + " "
                + handle.name());
    }

    private String ask(String request) {
        try {
            Line line = idle.poll();
            line = line == null ? new Line(port) : line;
            String answer = line.ask(request);
            idle.push(line);
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A connection for one user at a time. */
    private static final class Line {

        private final Socket socket;
        private final BufferedReader in;

        Line(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        String ask(String request) throws IOException {
            socket.getOutputStream().write((request + "\n").getBytes(StandardCharsets.UTF_8));
            String answer = in.readLine();
            if (answer == null) {
                throw new IOException("The register is gone");
            }
            return answer;
        }
    }
}
