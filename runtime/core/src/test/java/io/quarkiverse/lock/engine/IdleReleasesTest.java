package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkiverse.lock.engine.queue.Releases;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockEvent;
import io.quarkiverse.lock.spi.LockEvent.Kind;
import io.smallrye.mutiny.Uni;

/** Idle grants, however many, are released when the engine stops or is frozen. */
class IdleReleasesTest {

    private static final Duration LINGER = Duration.ofSeconds(10);
    private static final ManagerDefaults LINGERING = new ManagerDefaults("lingering", Duration.ofSeconds(10),
            Duration.ofSeconds(30), true, null, OnLost.FAIL, LINGER);

    private final VirtualTime time = new VirtualTime();
    private final LocalBackend backend = new LocalBackend(new LocalStore(time), "kept");
    private Duration operationTimeout = Duration.ofMillis(500);
    private Releasing releasing = backend::release;
    private final LockEngine engine = LockEngine.builder((LockBackend) Proxy.newProxyInstance(
            IdleReleasesTest.class.getClassLoader(), new Class<?>[] { LockBackend.class },
            (proxy, method, arguments) -> switch (method.getName()) {
                case "release" -> releasing.release((Grant) arguments[0]);
                case "operationTimeout" -> operationTimeout;
                default -> method.invoke(backend, arguments);
            })).time(time).threads(CallerThreads.plain(Runnable::run)).listener(this::happened).start();
    private final List<LockEvent> retried = new ArrayList<>();

    private void happened(LockEvent event) {
        if (event.kind() == Kind.RETRIED) {
            retried.add(event);
        }
    }

    /** How the backend releases a grant. */
    private interface Releasing {

        Uni<Void> release(Grant grant);
    }

    /** Answers one request at a time, each within the operation timeout or never. */
    private final class OneAtATime implements Releasing {

        private final Queue<Request> requests = new ArrayDeque<>();
        private boolean working;
        private int late;

        private record Request(Grant grant, CompletableFuture<Void> answer) {
        }

        @Override
        public Uni<Void> release(Grant grant) {
            var request = new Request(grant, new CompletableFuture<>());
            requests.add(request);
            time.schedule(operationTimeout.toNanos(), () -> {
                if (request.answer.completeExceptionally(new IllegalStateException("no answer in time"))) {
                    late++;
                }
            });
            work();
            return Uni.createFrom().completionStage(request.answer);
        }

        private void work() {
            requests.removeIf(each -> each.answer.isDone());
            Request next = requests.peek();
            if (next == null || working) {
                return;
            }
            working = true;
            time.schedule(2_000_000, () -> {
                backend.release(next.grant).await().indefinitely();
                next.answer.complete(null);
                working = false;
                work();
            });
        }
    }

    private List<String> keep(int count) {
        LockManager manager = engine.manager(LINGERING);
        List<String> names = IntStream.range(0, count).mapToObj(i -> "n" + i).toList();
        names.forEach(name -> manager.lock(name).acquire().close());
        assertThat(taken(names)).isEqualTo(count);
        return names;
    }

    private long taken(List<String> names) {
        return names.stream().filter(name -> backend.inspect(name).await().indefinitely().isPresent()).count();
    }

    @AfterEach
    void close() {
        operationTimeout = Duration.ZERO;
        engine.close();
    }

    @Test
    void fault358_manyIdleGrantsAreReleasedBeforeClose() {
        var slow = new OneAtATime();
        releasing = slow;
        List<String> names = keep(5000);
        for (int i = 0; i < 10_000 && !engine.drain(Duration.ZERO); i++) {
            time.advance(Duration.ofMillis(2));
        }
        engine.close();
        assertThat(taken(names)).isZero();
        assertThat(slow.late).isZero();
    }

    @Test
    void fault358_drainWaitsForFailedReleases() {
        releasing = grant -> Uni.createFrom().failure(new IllegalStateException("cut"));
        List<String> names = keep(1);
        assertThat(engine.drain(Duration.ZERO)).isFalse();
        releasing = backend::release;
        time.advance(Duration.ofSeconds(1));
        assertThat(engine.drain(Duration.ZERO)).isTrue();
        assertThat(taken(names)).isZero();
    }

    @Test
    void fault548_failedReleaseWarnsOnceAndCountsRetries() {
        releasing = grant -> Uni.createFrom().failure(new IllegalStateException("cut"));
        List<String> names = keep(1);
        try (var logged = new LoggedRecords(Releases.class)) {
            time.advance(LINGER);
            assertThat(logged.warnings()).singleElement().asString()
                    .startsWith("Lock 'n0' could not be released at backend 'local', trying again until its lease ends")
                    .endsWith("cut");
            assertThat(retried).isEmpty();
            time.advance(Duration.ofMillis(600));
            assertThat(logged.warnings()).hasSize(1);
        }
        assertThat(retried).hasSizeGreaterThan(1).allSatisfy(event -> {
            assertThat(event.name()).isEqualTo("n0");
            assertThat(event.manager()).isEqualTo("lingering");
            assertThat(event.fencingToken()).isPositive();
            assertThat(event.reason()).isEqualTo("release");
        });
        releasing = backend::release;
        time.advance(Duration.ofSeconds(1));
        assertThat(taken(names)).isZero();
    }

    @Test
    void fault548_noWarningIfTheGrantWasGone() {
        releasing = grant -> Uni.createFrom().failure(new LockLostException(grant.name(), "gone", null));
        keep(1);
        try (var logged = new LoggedRecords(Releases.class)) {
            time.advance(LINGER.multipliedBy(4));
            assertThat(logged.warnings()).isEmpty();
        }
        assertThat(retried).isEmpty();
    }

    @Test
    void fault358_unreleasedGrantsAreNamedInWarning() {
        keep(200);
        releasing = grant -> Uni.createFrom().nothing();
        operationTimeout = Duration.ofMillis(10);
        try (var logged = new LoggedRecords(Shutdown.class)) {
            engine.close();
            assertThat(logged.warnings()).singleElement().asString().startsWith("200 lock(s) that nobody holds").contains("[n",
                    "when their leases end", "A longer quarkus.shutdown.timeout");
        }
    }

    @Test
    void fault358_failedReleasesShareOneWarning() {
        keep(200);
        releasing = grant -> Uni.createFrom().failure(new IllegalStateException("cut"));
        operationTimeout = Duration.ofMillis(10);
        try (var logged = new LoggedRecords(Shutdown.class); var each = new LoggedRecords(Releases.class)) {
            engine.close();
            assertThat(logged.warnings()).singleElement().asString().startsWith("200 lock(s) that nobody holds");
            assertThat(each.warnings()).isEmpty();
        }
    }

    @Test
    void fault358_pendingReleaseIsInTheSameWarning() {
        keep(1);
        var answer = new CompletableFuture<Void>();
        releasing = grant -> Uni.createFrom().completionStage(answer);
        time.advance(LINGER);
        operationTimeout = Duration.ofMillis(10);
        try (var logged = new LoggedRecords(Shutdown.class); var each = new LoggedRecords(Releases.class)) {
            assertThat(engine.drain(Duration.ZERO)).isFalse();
            answer.completeExceptionally(new IllegalStateException("cut"));
            engine.close();
            assertThat(logged.warnings()).singleElement().asString().startsWith("1 lock(s) that nobody holds");
            assertThat(each.warnings()).isEmpty();
        }
    }

    @Test
    void noWarningAfterSuccessfulReleases() {
        keep(200);
        try (var logged = new LoggedRecords(Shutdown.class)) {
            engine.close();
            assertThat(logged.warnings()).isEmpty();
        }
    }

    /** An answer that arrives during a call must not start the next call inside it. */
    @Test
    void manyImmediateAnswersNeedNoDeepStack() {
        List<String> names = keep(20_000);
        var first = new ArrayList<CompletableFuture<Void>>();
        releasing = grant -> {
            var answer = new CompletableFuture<Void>();
            first.add(answer);
            return Uni.createFrom().completionStage(answer).chain(() -> backend.release(grant));
        };
        assertThat(engine.drain(Duration.ZERO)).isFalse();
        releasing = backend::release;
        List.copyOf(first).forEach(answer -> answer.complete(null));
        assertThat(engine.drain(Duration.ZERO)).isTrue();
        assertThat(taken(names)).isZero();
    }

    @Test
    void fault357_checkpointWaitsForReleases() throws Exception {
        List<String> names = keep(1);
        var answer = new CompletableFuture<Void>();
        releasing = grant -> Uni.createFrom().completionStage(answer).chain(() -> backend.release(grant));
        operationTimeout = Duration.ofSeconds(30);
        try (var logged = new LoggedRecords(Checkpoint.class)) {
            Thread checkpoint = new Thread(engine::beforeCheckpoint);
            checkpoint.start();
            while (checkpoint.isAlive() && checkpoint.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            answer.complete(null);
            checkpoint.join();
            assertThat(taken(names)).isZero();
            assertThat(logged.warnings()).isEmpty();
        }
    }

    @Test
    void fault357_checkpointWarnsOfUnreleasedGrants() {
        keep(1);
        releasing = grant -> Uni.createFrom().nothing();
        operationTimeout = Duration.ofMillis(10);
        try (var logged = new LoggedRecords(Checkpoint.class)) {
            engine.beforeCheckpoint();
            assertThat(logged.warnings()).singleElement().asString().startsWith("1 lock(s) that nobody holds")
                    .contains("[n0]", "when their leases end");
        }
    }

    @Test
    void fault357_failedReleasesAtCheckpointShareOneWarning() {
        keep(200);
        releasing = grant -> Uni.createFrom().failure(new IllegalStateException("cut"));
        operationTimeout = Duration.ofMillis(10);
        try (var logged = new LoggedRecords(Checkpoint.class); var each = new LoggedRecords(Releases.class)) {
            engine.beforeCheckpoint();
            assertThat(logged.warnings()).singleElement().asString().startsWith("200 lock(s) that nobody holds");
            assertThat(each.warnings()).isEmpty();
        }
    }
}
