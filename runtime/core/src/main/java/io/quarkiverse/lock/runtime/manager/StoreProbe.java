package io.quarkiverse.lock.runtime.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.PrintableName;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;

/**
 * Whether the store of a backend answers. However many want to know, and however often, it is asked once a second at most: who
 * holds a name that nobody takes, which writes nothing.
 */
public final class StoreProbe {

    private static final String NAME = "quarkus-lock-probe";
    private static final long FRESH = Duration.ofSeconds(1).toNanos();
    private static final State WELL = new State(null, null);

    private final String backend;
    private final List<String> managers;
    private final LockBackend store;
    private final LockTime time;
    private @Nullable State known;
    private long knownAt;
    private @Nullable CompletableFuture<State> asking;

    /** @param managers that keep their locks there */
    StoreProbe(String backend, List<String> managers, LockBackend store, LockTime time) {
        this.backend = backend;
        this.managers = managers;
        this.store = store;
        this.time = time;
    }

    /**
     * @param failure what is wrong; {@code null} if nothing is
     * @param since when that was first noticed
     */
    public record State(@Nullable String failure, @Nullable Instant since) {

        public boolean well() {
            return failure == null;
        }
    }

    /** The backend's name in the configuration. */
    public String backend() {
        return backend;
    }

    public List<String> managers() {
        return managers;
    }

    /**
     * Never fails, and takes little longer than the operation timeout at most. Of a store in trouble the last answer is given
     * at once, while it is asked again: those who want to know have less patience.
     */
    public CompletionStage<State> ask() {
        CompletableFuture<State> answer;
        boolean first;
        synchronized (this) {
            if (known != null && time.nanoTime() - knownAt < FRESH) {
                return CompletableFuture.completedFuture(known);
            }
            first = asking == null;
            answer = first ? new CompletableFuture<>() : asking;
            asking = answer;
        }
        if (first) {
            send(answer);
        }
        State last = known();
        return last == null || last.well() ? answer : CompletableFuture.completedFuture(last);
    }

    private void send(CompletableFuture<State> answer) {
        if (store instanceof InMemoryBackend) {
            settle(answer, null);
            return;
        }
        try {
            store.inspect(NAME)
                    .ifNoItem().after(store.operationTimeout().plusMillis(500)).fail()
                    .subscribe().with(any -> settle(answer, null), failure -> settle(answer, failure));
        } catch (RuntimeException e) {
            settle(answer, e);
        }
    }

    /** {@link #ask}, for who cannot wait at all: {@code null} as long as nothing was answered. */
    public @Nullable State latest() {
        ask();
        return known();
    }

    private synchronized @Nullable State known() {
        return known;
    }

    private void settle(CompletableFuture<State> answer, @Nullable Throwable failure) {
        State now;
        synchronized (this) {
            now = failure == null ? WELL
                    : new State(describe(failure), known == null || known.well() ? Instant.ofEpochMilli(time.wallMillis())
                            : known.since);
            known = now;
            knownAt = time.nanoTime();
            asking = null;
        }
        answer.complete(now);
    }

    private static String describe(Throwable failure) {
        String message = failure.getMessage();
        return PrintableName.oneLine(message == null ? failure.toString() : message);
    }
}
