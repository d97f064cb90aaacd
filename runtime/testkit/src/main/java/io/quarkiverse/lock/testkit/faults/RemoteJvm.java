package io.quarkiverse.lock.testkit.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.quarkiverse.lock.testkit.process.ChildFailure;
import io.quarkiverse.lock.testkit.process.ChildJvm;

/**
 * A real JVM with a client of the store, which can be paused and killed. It has at most one hold of each name.
 *
 * <pre>{@code
 * RemoteJvm holder = remoteJvm("holder");
 * long token = holder.acquire(name(), Duration.ofSeconds(1));
 * holder.child().pause();
 * }</pre>
 */
public final class RemoteJvm implements AutoCloseable {

    private static final Duration WAIT = Duration.ofSeconds(20);
    /** Thousands of locks, on a slow store and a busy machine. */
    private static final Duration MANY = Duration.ofSeconds(240);

    private final ChildJvm child;

    private RemoteJvm(ChildJvm child) {
        this.child = child;
    }

    /** Starts a JVM over the backend that {@code spec} creates. */
    public static RemoteJvm start(ChildBackend.Spec spec, String owner) {
        List<String> arguments = new ArrayList<>(List.of(spec.factory().getName(), owner));
        arguments.addAll(spec.arguments());
        return new RemoteJvm(ChildJvm.start(LockingChild.class, arguments.toArray(String[]::new)));
    }

    /** To pause, resume, terminate or kill it. */
    public ChildJvm child() {
        return child;
    }

    /** Acquires the lock within at most 20 seconds, and returns its fencing token. */
    public long acquire(String name, Duration lease) {
        return Long.parseLong(child.ask(request("acquire", lease.toMillis(), WAIT.toMillis(), name)));
    }

    /** The fencing token, later. What is thrown there becomes a {@link ChildFailure} here. */
    public CompletableFuture<Long> acquireLater(String name, Duration lease, Duration wait) {
        return child.send(request("acquire", lease.toMillis(), wait.toMillis(), name)).thenApply(Long::valueOf);
    }

    /** Returns when the release is answered. */
    public void release(String name) {
        child.ask(request("release", 0, 0, name));
    }

    /** Whether its hold says that it is valid. */
    public boolean isValid(String name) {
        return Boolean.parseBoolean(child.ask(request("valid", 0, 0, name)));
    }

    /** What it would do with the lock's data: its token, and whether it believed the write was allowed. */
    public CompletableFuture<Write> write(String name) {
        return child.send(request("write", 0, 0, name)).thenApply(answer -> {
            int space = answer.indexOf(' ');
            return new Write(Boolean.parseBoolean(answer.substring(0, space)), Long.parseLong(answer.substring(space + 1)));
        });
    }

    /** @throws ChildFailure with what was thrown there */
    public void extend(String name, Duration lease) {
        child.ask(request("extend", lease.toMillis(), 0, name));
    }

    /** Begins to wait for {@code prefix0}, {@code prefix1} and so on, each of which is released at once. */
    public void waitForMany(String prefix, int count, Duration wait) {
        child.ask(request("wait", count, wait.toMillis(), prefix));
    }

    /** How many of {@link #waitForMany} have been granted. */
    public int granted() {
        return Integer.parseInt(child.ask(request("granted", 0, 0, "")));
    }

    /** How many holds its engine knows. */
    public int held() {
        return Integer.parseInt(child.ask(request("held", 0, 0, "")));
    }

    /** Takes {@code prefix0}, {@code prefix1} and so on, and releases each; returns when all are released. */
    public void useMany(String prefix, int count) {
        child.ask(request("use", count, 0, prefix), MANY);
    }

    /** Records how many objects there are now, for {@link #grown}. */
    public void countObjects() {
        child.ask(request("count", 0, 0, ""));
    }

    /** The classes that have at least {@code least} objects more than at {@link #countObjects}, and how many more. */
    public String grown(int least) {
        return child.ask(request("grown", least, 0, ""));
    }

    @Override
    public void close() {
        child.close();
    }

    private static String request(String verb, long first, long second, String name) {
        return verb + ' ' + first + ' ' + second + ' ' + name;
    }

    /**
     * An attempted write.
     *
     * @param valid whether the hold was still valid when it was used
     */
    public record Write(boolean valid, long token) {
    }
}
