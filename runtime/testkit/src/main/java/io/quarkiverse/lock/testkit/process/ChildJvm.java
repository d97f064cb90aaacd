package io.quarkiverse.lock.testkit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

import io.quarkiverse.lock.testkit.Await;

/**
 * Another JVM with this one's class path, driven by requests and watched through events. Its error output appears in ours. It
 * ends when it is closed, and with this JVM at the latest.
 *
 * <pre>{@code
 * try (ChildJvm child = ChildJvm.start(Holder.class, server.url())) {
 *     long fence = Long.parseLong(child.ask("stock-7"));
 *     child.pause();
 *     ...
 *     child.resume();
 *     child.awaitEvent("lost stock-7", Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * All methods may be called from any thread.
 */
public final class ChildJvm implements AutoCloseable {

    /** For a busy machine: processes that do not start are not what tests are about. */
    private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration END_TIMEOUT = Duration.ofSeconds(10);

    private final Process process;
    private final Leash leash;
    private final PrintStream toChild;
    private final AtomicLong requests = new AtomicLong();
    private final Map<Long, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
    private final List<ChildEvent> events = new CopyOnWriteArrayList<>();

    private volatile boolean ended;

    private ChildJvm(Process process) {
        this.process = process;
        this.leash = Leash.on(process);
        this.toChild = new PrintStream(process.getOutputStream(), false, StandardCharsets.UTF_8);
        var reader = new Thread(this::readAll, "child-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a JVM and returns when {@link ChildMain#start} has returned. */
    public static ChildJvm start(Class<? extends ChildMain> main, String... arguments) {
        return start(List.of(), main, arguments);
    }

    /** As {@link #start(Class, String...)}, with options for the JVM, such as {@code -Xmx64m}. */
    public static ChildJvm start(List<String> options, Class<? extends ChildMain> main, String... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Tuned for a fast start, as it does not live long
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.addAll(options);
        command.add(ChildLauncher.class.getName());
        command.add(main.getName());
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        try {
            var child = new ChildJvm(builder.start());
            child.awaitStart();
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sends a request and waits for its answer, at most 30 seconds.
     *
     * @throws ChildFailure if the child threw something, has ended, or does not answer
     */
    public String ask(String request) {
        return ask(request, ANSWER_TIMEOUT);
    }

    /** {@link #ask(String)} with another timeout. */
    public String ask(String request, Duration timeout) {
        try {
            return send(request).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw (ChildFailure) e.getCause();
        } catch (TimeoutException e) {
            throw new ChildFailure("No answer to '" + request + "' within " + timeout + " from " + this);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChildFailure("Interrupted while waiting for the answer to '" + request + "'");
        }
    }

    /** Sends a request without waiting. The answer fails with a {@link ChildFailure}. */
    public CompletableFuture<String> send(String request) {
        long number = requests.incrementAndGet();
        var answer = new CompletableFuture<String>();
        answers.put(number, answer);
        synchronized (toChild) {
            toChild.print(new Line(Line.REQUEST, number, request) + "\n");
            toChild.flush();
        }
        if (ended) {
            failAll();
        }
        return answer;
    }

    /** All events so far, in the child's order. The first is {@code ready}. */
    public List<ChildEvent> events() {
        return List.copyOf(events);
    }

    /** The first event with this text, as soon as it has happened. */
    public ChildEvent awaitEvent(String text, Duration timeout) {
        return awaitEvent(text, event -> event.text().equals(text), timeout);
    }

    /** The first event that passes the test, as soon as it has happened. */
    public ChildEvent awaitEvent(String what, Predicate<ChildEvent> test, Duration timeout) {
        Await.until(() -> "event '" + what + "' of " + this + ", only " + events, timeout,
                () -> events.stream().anyMatch(test));
        return events.stream().filter(test).findFirst().orElseThrow();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    /** Freezes the child, as a very long garbage collection would. */
    public void pause() {
        Signals.pause(process);
    }

    /** Ends {@link #pause}. */
    public void resume() {
        Signals.resume(process);
    }

    /** {@code kill -9}; waits until the child is gone. */
    public void kill() {
        Signals.kill(process);
    }

    /** Sends SIGTERM: an orderly shutdown begins. */
    public void terminate() {
        Signals.terminate(process);
    }

    /** The exit code; empty while the child runs. */
    public OptionalInt exitCode() {
        return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    /** Waits for the end of the child, and returns its exit code. */
    public int awaitExit(Duration timeout) {
        Await.until(this + " ends", timeout, () -> !process.isAlive());
        return process.exitValue();
    }

    /** Lets the child end in order by closing its input, and kills it if it has not ended within 10 seconds. */
    @Override
    public void close() {
        try {
            if (process.isAlive()) {
                Signals.resume(process);
                toChild.close();
                process.waitFor(END_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            leash.close();
        }
    }

    @Override
    public String toString() {
        return "child JVM " + process.pid();
    }

    private void awaitStart() {
        try {
            Await.until(this + " has started", START_TIMEOUT, () -> !events.isEmpty() || ended);
            if (events.isEmpty()) {
                throw new ChildFailure(this + " has ended instead of starting");
            }
        } catch (RuntimeException | Error e) {
            leash.close();
            throw e;
        }
    }

    private void readAll() {
        var lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                accept(Line.parse(line));
            }
        } catch (IOException e) {
            // It has been killed
        } finally {
            ended = true;
            failAll();
        }
    }

    private void accept(Line line) {
        if (line.kind() == Line.EVENT) {
            events.add(new ChildEvent(line.text(), line.number()));
            return;
        }
        var answer = answers.remove(line.number());
        if (answer == null) {
            return;
        }
        if (line.kind() == Line.RESULT) {
            answer.complete(line.text());
        } else {
            answer.completeExceptionally(new ChildFailure(line.text()));
        }
    }

    private void failAll() {
        for (Long number : answers.keySet()) {
            var answer = answers.remove(number);
            if (answer != null) {
                answer.completeExceptionally(new ChildFailure(this + " has ended"));
            }
        }
    }
}
