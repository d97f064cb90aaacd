package io.quarkiverse.lock.testkit.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.history.HistoryEvent.Kind;
import io.quarkiverse.lock.testkit.history.Violation;
import io.quarkiverse.lock.testkit.history.Violation.Rule;
import io.smallrye.mutiny.Uni;

@Timeout(60)
class RandomUserTest {

    private final List<HistoryEvent> history = new CopyOnWriteArrayList<>();

    /** The lease was valid when the engine decided to grant it, and over before anybody could check it. */
    @Test
    void pauseRightAfterTheGrantIsNoViolation() throws Exception {
        try (var user = new RandomUser("a", new PausedOnce(), new RandomLoad(List.of("lock"), 1), 1, Duty.NONE,
                history::add)) {
            Await.until("it was over when it was looked at", Duration.ofSeconds(30),
                    () -> history.stream().anyMatch(event -> event.kind() == Kind.GRANTED && event.value() == 0));
            user.stop();
            user.join();
            assertThat(user.surprises()).isEmpty();
        }
        assertThat(HistoryChecker.STANDARD.check(history, System.nanoTime())).extracting(Violation::rule)
                .doesNotContain(Rule.ARRIVAL);
    }

    /** Grants every request. The first grant whose lease is read during its delivery pauses until the lease is over. */
    private static final class PausedOnce implements LockBackend {

        private final AtomicLong fence = new AtomicLong();
        private final AtomicBoolean paused = new AtomicBoolean();
        private volatile boolean answering;

        @Override
        public String name() {
            return "paused";
        }

        @Override
        public void start(BackendListener listener, LockTime time) {
            // it reports nothing
        }

        @Override
        public Uni<Answer> acquire(Claim claim) {
            return Uni.createFrom().emitter(emitter -> {
                answering = true;
                emitter.complete(new Grant(claim, fence.incrementAndGet(), System.nanoTime()) {
                    @Override
                    public long leaseNanos() {
                        if (answering && paused.compareAndSet(false, true)) {
                            long over = sentAt() + claim.leaseNanos();
                            while (System.nanoTime() < over) {
                                LockSupport.parkNanos(over - System.nanoTime());
                            }
                        }
                        return super.leaseNanos();
                    }
                });
                answering = false;
            });
        }

        @Override
        public Uni<Renewal> renew(List<? extends Grant> grants) {
            return Uni.createFrom().item(new Renewal(grants, List.of(), List.of()));
        }

        @Override
        public Uni<Void> release(Grant grant) {
            return Uni.createFrom().voidItem();
        }

        @Override
        public Uni<Optional<LockInfo>> inspect(String name) {
            return Uni.createFrom().item(Optional.empty());
        }

        @Override
        public Uni<Boolean> forceRelease(String name) {
            return Uni.createFrom().item(false);
        }

        @Override
        public Set<Feature> features() {
            return Set.of(Feature.ASYNC, Feature.LEASE);
        }

        @Override
        public Duration operationTimeout() {
            return Duration.ofSeconds(1);
        }

        @Override
        public void close() {
            // there is nothing to close
        }
    }
}
