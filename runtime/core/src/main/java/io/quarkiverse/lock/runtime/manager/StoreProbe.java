package io.quarkiverse.lock.runtime.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.ErrorMessages;
import io.quarkiverse.lock.engine.state.Patience;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.subscription.Cancellable;

/**
 * Whether locks of a backend are available. However many callers ask, and however often, its store is queried at most once a
 * second, about a name that nobody takes.
 */
public final class StoreProbe {

    private static final String NAME = "quarkus-lock-probe";
    private static final long FRESH = Duration.ofSeconds(1).toNanos();
    /** How long to wait for the answer of a store in trouble: callers would give up before it answers. */
    private static final long SHORT = Duration.ofMillis(500).toNanos();
    private static final State WELL = new State(null, null);

    private final String backend;
    private final List<String> managers;
    private final LockBackend store;
    private final LockTime time;
    private final ErrorMessages errors;
    private final Duration patience;
    private @Nullable State known;
    private long knownAt;
    private @Nullable CompletableFuture<State> asking;

    /** @param managers the managers that keep their locks there */
    StoreProbe(String backend, List<String> managers, LockBackend store, LockTime time) {
        this.backend = backend;
        this.managers = managers;
        this.store = store;
        this.time = time;
        this.errors = new ErrorMessages(store, time);
        this.patience = Patience.with(store);
    }

    /**
     * @param failure the problem; {@code null} if there is none
     * @param since when the problem was first noticed
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
     * Never fails, and takes hardly longer than the operation timeout. For a store in trouble it soon returns the last answer,
     * if the new one is still awaited.
     */
    public CompletionStage<State> ask() {
        CompletableFuture<State> answer = askOnce();
        State last = known();
        return last == null || last.well() || answer.isDone() ? answer : soon(answer, last);
    }

    private CompletionStage<State> soon(CompletableFuture<State> answer, State last) {
        CompletableFuture<State> soon = new CompletableFuture<>();
        LockTime.Timer enough = time.schedule(SHORT, () -> soon.complete(last));
        answer.thenAccept(state -> {
            enough.cancel();
            soon.complete(state);
        });
        return soon;
    }

    /** {@link #ask}, for callers that cannot wait: {@code null} until there has been an answer. */
    public @Nullable State latest() {
        askOnce();
        return known();
    }

    private CompletableFuture<State> askOnce() {
        CompletableFuture<State> answer;
        synchronized (this) {
            if (known != null && time.nanoTime() - knownAt < FRESH) {
                return CompletableFuture.completedFuture(known);
            }
            if (asking != null) {
                return asking;
            }
            answer = new CompletableFuture<>();
            asking = answer;
        }
        send(answer);
        return answer;
    }

    private void send(CompletableFuture<State> answer) {
        if (store instanceof InMemoryBackend && !(store instanceof TransactionalBackend)) {
            settle(answer, null); // nothing outside this JVM could be in trouble
            return;
        }
        try {
            // Not on a worker of the application: all workers may be waiting for this very answer
            LockTime.Timer timeout = time.schedule(patience.toNanos(), () -> settle(answer, errors.silent(NAME, patience)));
            answer.thenRun(timeout::cancel);
            Cancellable asked = store.ready(NAME).subscribe().with(any -> settle(answer, null),
                    failure -> settle(answer, failure));
            answer.thenRun(asked::cancel);
        } catch (Throwable e) { // whatever it is, the next caller must be able to ask again
            settle(answer, e);
        }
    }

    private synchronized @Nullable State known() {
        return known;
    }

    private void settle(CompletableFuture<State> answer, @Nullable Throwable failure) {
        State now;
        synchronized (this) {
            if (asking != answer) {
                return; // it came too late
            }
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
