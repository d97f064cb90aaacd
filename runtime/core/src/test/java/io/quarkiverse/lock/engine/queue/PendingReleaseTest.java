package io.quarkiverse.lock.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.engine.queue.Releases.PendingRelease;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** The releases of several names, combined into one. */
class PendingReleaseTest {

    private final AtomicInteger contexts = new AtomicInteger();
    private final PendingRelease one = new PendingRelease();
    private final PendingRelease two = new PendingRelease();
    private final PendingRelease both = new PendingRelease();

    /** Mutiny's futures carry the caller's contexts, such as its transaction, to the thread that delivers the answer. */
    @BeforeEach
    void countContexts() {
        Infrastructure.setCompletableFutureWrapper(future -> {
            contexts.incrementAndGet();
            return future;
        });
    }

    @AfterEach
    void countNoMore() {
        Infrastructure.setCompletableFutureWrapper(null);
    }

    @Test
    void completesWithTheLastReleaseAndCapturesNoContext() {
        both.follow(PendingRelease.all(List.of(one, two)));
        two.complete(null);
        assertThat(PendingRelease.answer(both)).isNotDone();
        one.complete(null);
        assertThat(PendingRelease.answer(both)).isCompleted();
        assertThat(contexts).hasValue(0);
    }

    @Test
    void failsWithTheFirstFailedRelease() {
        both.follow(PendingRelease.all(List.of(one, two)));
        var first = new LockBackendException("b", "first", null);
        two.complete(first);
        assertThat(PendingRelease.answer(both)).as("the other one is still pending").isNotDone();
        one.complete(new LockBackendException("a", "second", null));
        assertThat(PendingRelease.answer(both)).failsWithin(Duration.ZERO).withThrowableThat().havingCause().isSameAs(first);
    }

    @Test
    void emptyOrSingleReleaseIsNotCombined() {
        assertThat(PendingRelease.all(List.of())).isSameAs(Nothing.UNI);
        assertThat(PendingRelease.all(List.of(one))).isSameAs(one);
    }
}
