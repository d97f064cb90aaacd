package io.quarkiverse.lock.runtime.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.InMemoryBackend;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.TransactionalBackend;
import io.smallrye.mutiny.Uni;

/** A store is asked at most once a second, and its trouble dates from when it was first noticed. */
class StoreProbeTest {

    private static final Duration PATIENCE = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final List<CompletableFuture<Void>> asked = new ArrayList<>();
    private Error broken;
    private final StoreProbe probe = probe(LockBackend.class);

    private StoreProbe probe(Class<? extends LockBackend> kind) {
        var store = (LockBackend) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { kind },
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "ready" -> {
                        if (broken != null) {
                            throw broken;
                        }
                        CompletableFuture<Void> answer = new CompletableFuture<>();
                        asked.add(answer);
                        yield Uni.createFrom().completionStage(answer);
                    }
                    case "operationTimeout" -> PATIENCE;
                    case "name" -> "some";
                    default -> throw new UnsupportedOperationException(method.toString());
                });
        return new StoreProbe("some", List.of("<default>"), store, time);
    }

    @Test
    void stateIsUnknownUntilTheStoreAnswers() {
        assertThat(probe.latest()).isNull();

        answer(0);
        assertThat(probe.latest().well()).isTrue();
        assertThat(asked).hasSize(1);
    }

    @Test
    void concurrentProbesAskTheStoreOnce() {
        CompletableFuture<StoreProbe.State> first = probe.ask().toCompletableFuture();
        CompletableFuture<StoreProbe.State> second = probe.ask().toCompletableFuture();
        assertThat(first).isNotDone();

        answer(0);
        assertThat(first.join().well()).isTrue();
        assertThat(second.join().well()).isTrue();
        assertThat(probe.ask().toCompletableFuture().join().well()).isTrue();
        assertThat(asked).hasSize(1);

        time.advance(Duration.ofSeconds(1));
        probe.ask();
        assertThat(asked).hasSize(2);
    }

    @Test
    void troubleDatesFromItsFirstFailure() {
        probe.ask();
        Instant noticed = Instant.ofEpochMilli(time.wallMillis());
        fail(0, "no connection");
        time.advance(Duration.ofSeconds(5));
        assertThat(probe.latest()).isEqualTo(new StoreProbe.State("no connection", noticed)); // and asks again
        fail(1, "refused\nForged line");
        assertThat(probe.latest().since()).isEqualTo(noticed);
        assertThat(probe.latest().failure()).startsWith("refused").doesNotContain("\n");

        time.advance(Duration.ofSeconds(5));
        probe.ask();
        answer(2);
        assertThat(probe.latest()).isEqualTo(new StoreProbe.State(null, null));
        time.advance(Duration.ofSeconds(5));
        probe.ask();
        fail(3, "again");
        assertThat(probe.latest().since()).isEqualTo(Instant.ofEpochMilli(time.wallMillis()));
    }

    @Test
    void staleFailureIsCheckedAgainBeforeItIsReported() {
        probe.ask();
        fail(0, "no connection");
        time.advance(Duration.ofSeconds(5));

        CompletableFuture<StoreProbe.State> asked = probe.ask().toCompletableFuture();
        assertThat(asked).isNotDone();
        answer(1);
        assertThat(asked).isCompletedWithValueMatching(StoreProbe.State::well);
        assertThat(time.timers()).as("none is left").isZero();
    }

    @Test
    void failingStoreIsWaitedForOnlyBriefly() {
        probe.ask();
        fail(0, "no connection");
        time.advance(Duration.ofSeconds(5));

        CompletableFuture<StoreProbe.State> first = probe.ask().toCompletableFuture();
        CompletableFuture<StoreProbe.State> second = probe.ask().toCompletableFuture();
        assertThat(first).isNotDone();
        time.advance(Duration.ofMillis(500));
        assertThat(first).isCompletedWithValueMatching(state -> !state.well());
        assertThat(second).isCompletedWithValueMatching(state -> !state.well());
        assertThat(asked).hasSize(2);
        answer(1);
        assertThat(probe.ask().toCompletableFuture()).isCompletedWithValueMatching(StoreProbe.State::well);
    }

    @Test
    void storeThatNeverAnswersIsReportedAsFailing() {
        CompletableFuture<StoreProbe.State> state = probe.ask().toCompletableFuture();
        time.advance(PATIENCE);
        assertThat(state).isNotDone();
        time.advance(Duration.ofMillis(500));
        assertThat(state).isCompletedWithValueMatching(
                trouble -> trouble.failure().contains("backend 'some' has not answered within 1h"));

        time.advance(Duration.ofSeconds(5));
        probe.ask();
        assertThat(asked).as("it is asked again").hasSize(2);
        answer(0);
        assertThat(probe.latest().well()).as("that answer is to the earlier question").isFalse();
        answer(1);
        assertThat(probe.latest().well()).isTrue();
    }

    @Test
    void backendThatThrowsAnErrorIsAskedAgain() {
        broken = new NoClassDefFoundError("gone");
        assertThat(probe.ask().toCompletableFuture()).isCompletedWithValueMatching(state -> state.failure().contains("gone"));

        broken = null;
        time.advance(Duration.ofSeconds(5));
        probe.ask();
        answer(0);
        assertThat(probe.latest().well()).isTrue();
    }

    @Test
    void inMemoryBackendIsAlwaysHealthy() {
        assertThat(probe(InMemoryBackend.class).latest().well()).isTrue();
        assertThat(asked).isEmpty();
    }

    @Test
    void fault404_transactionalStoreIsProbedToo() {
        StoreProbe probe = probe(TransactionalBackend.class);
        CompletableFuture<StoreProbe.State> state = probe.ask().toCompletableFuture();
        fail(0, "no connection");
        assertThat(state).isCompletedWithValueMatching(trouble -> trouble.failure().equals("no connection"));
    }

    private void answer(int question) {
        asked.get(question).complete(null);
    }

    private void fail(int question, String message) {
        asked.get(question).completeExceptionally(new IllegalStateException(message));
    }
}
