package io.quarkiverse.lock.spi.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.local.VirtualTime;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Busy;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.support.LockStore.Attempt;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.Cancellable;
import io.smallrye.mutiny.subscription.UniSubscriber;
import io.smallrye.mutiny.subscription.UniSubscription;

/** The life cycle of a claim, with a store whose answers the test controls. */
class StoreLockBackendTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);
    private static final LockBackendException NO_REPLY = new LockBackendException("n", "no reply", null);

    private final VirtualTime time = new VirtualTime();
    private final AskedStore store = new AskedStore();
    private final StoreLockBackend backend = new StoreLockBackend("asked", store, TIMEOUT, LONGEST_PAUSE);
    private final List<Answer> answers = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();

    private Cancellable acquire(boolean waits) {
        backend.start(null, time);
        return backend.acquire(claim(waits)).subscribe().with(answers::add, failures::add);
    }

    private static Claim claim(boolean waits) {
        return new Claim("n", 1, 2, LockMode.EXCLUSIVE, 0, LEASE.toNanos(), waits);
    }

    @Test
    void grantCountsFromWhenItWasRequested() {
        acquire(true);
        long sent = time.nanoTime();
        time.advance(Duration.ofSeconds(1));
        store.takes.remove().complete(Attempt.granted(7));
        assertThat(answers).singleElement().isInstanceOfSatisfying(Grant.class, grant -> {
            assertThat(grant.fence()).isEqualTo(7);
            assertThat(grant.sentAt()).isEqualTo(sent);
        });
    }

    @Test
    void nonWaitingClaimReceivesBusy() {
        acquire(false);
        store.takes.remove().complete(Attempt.busy("another server"));
        assertThat(answers).containsExactly(new Busy("another server"));
        assertNothingIsAsked();
    }

    @Test
    void waiterPollsAfterAPauseOneRequestAtATime() {
        acquire(true);
        for (int i = 0; i < 10; i++) {
            time.advance(LEASE);
            assertThat(store.takes).hasSize(1);
            store.takes.remove().complete(Attempt.busy(null));
            assertThat(store.takes).isEmpty();
            time.advance(LONGEST_PAUSE);
        }
        store.takes.remove().complete(Attempt.granted(1));
        assertThat(answers).hasSize(1);
        assertNothingIsAsked();
    }

    @Test
    void lostReplyIsResolvedByAskingAgain() {
        acquire(false);
        store.takes.remove().completeExceptionally(NO_REPLY);
        time.advance(LONGEST_PAUSE);
        store.takes.remove().complete(Attempt.granted(1));
        assertThat(answers).singleElement().isInstanceOf(Grant.class);
        assertThat(store.releases).isEmpty();
    }

    @Test
    void nonWaitingClaimFailsAfterTimeoutAndWithdraws() {
        acquire(false);
        time.advance(TIMEOUT);
        store.takes.remove().completeExceptionally(NO_REPLY);
        assertThat(failures).containsExactly(NO_REPLY);
        assertThat(store.releases).hasSize(1);
    }

    @Test
    void fault08_grantAfterCancellationIsWithdrawn() {
        acquire(true).cancel();
        assertThat(store.releases).as("not before it is known what there is to withdraw").isEmpty();
        store.takes.remove().complete(Attempt.granted(1));
        assertThat(answers).isEmpty();
        assertThat(store.releases).hasSize(1);
    }

    @Test
    void fault07_cancellationAfterLostReplyWithdraws() {
        var acquiring = acquire(true);
        store.takes.remove().completeExceptionally(NO_REPLY);
        acquiring.cancel();
        assertThat(store.releases).hasSize(1);
        store.releases.remove().complete(true);
        assertNothingIsAsked();
    }

    @Test
    void cancellationAfterBusyAnswerSendsNothing() {
        var acquiring = acquire(true);
        store.takes.remove().complete(Attempt.busy(null));
        acquiring.cancel();
        assertNothingIsAsked();
    }

    @Test
    void fault195_claimThatThrowsAnErrorIsRetried() {
        store.lacksAClass = true;
        acquire(true);
        time.advance(LONGEST_PAUSE);
        store.lacksAClass = false;
        time.advance(LONGEST_PAUSE);
        store.takes.remove().complete(Attempt.granted(1));
        assertThat(answers).hasSize(1);
    }

    @Test
    void fault195_nullAnswerFromTheStoreIsRetried() {
        store.answersNull = true;
        var acquiring = acquire(true);
        store.answersNull = false;
        time.advance(LONGEST_PAUSE);
        store.answersNull = true;
        acquiring.cancel();
        store.takes.remove().complete(Attempt.granted(1));
        store.answersNull = false;
        time.advance(LONGEST_PAUSE);
        assertThat(store.releases).hasSize(1);
    }

    @Test
    void fault195_withdrawalThatThrowsAnErrorIsRetried() {
        var acquiring = acquire(true);
        store.lacksAClass = true;
        acquiring.cancel();
        store.takes.remove().complete(Attempt.granted(1));
        time.advance(LONGEST_PAUSE);
        store.lacksAClass = false;
        time.advance(LONGEST_PAUSE);
        assertThat(store.releases).hasSize(1);
    }

    @Test
    void fault195_claimIsWithdrawnWhenFailureCallbackThrows() {
        backend.start(null, time);
        backend.acquire(claim(false)).subscribe().withSubscriber(new UniSubscriber<Answer>() {

            @Override
            public void onSubscribe(UniSubscription subscription) {
            }

            @Override
            public void onItem(Answer item) {
                answers.add(item);
            }

            @Override
            public void onFailure(Throwable failure) {
                failures.add(failure);
                throw new InternalError("on purpose");
            }
        });
        time.advance(TIMEOUT);
        store.takes.remove().completeExceptionally(NO_REPLY);
        assertThat(failures).containsExactly(NO_REPLY);
        assertThat(store.releases).hasSize(1);
    }

    @Test
    void withdrawalIsRetriedUntilTheLeaseEnds() {
        acquire(true).cancel();
        store.takes.remove().completeExceptionally(NO_REPLY);
        time.advance(LEASE.minusSeconds(1));
        store.releases.remove().completeExceptionally(NO_REPLY);
        time.advance(LONGEST_PAUSE);
        assertThat(store.releases).hasSize(1);
        time.advance(LEASE);
        store.releases.remove().completeExceptionally(NO_REPLY);
        assertNothingIsAsked();
    }

    @Test
    void onlyTheFirstReleaseReportsALostGrant() {
        acquire(true);
        store.takes.remove().complete(Attempt.granted(1));
        Grant grant = (Grant) answers.get(0);
        var first = backend.release(grant).subscribeAsCompletionStage();
        store.releases.remove().complete(false);
        assertThatThrownBy(first::join).hasCauseInstanceOf(LockLostException.class);
        var second = backend.release(grant).subscribeAsCompletionStage();
        store.releases.remove().complete(false);
        assertThat(second).isCompletedWithValue(null);
    }

    @Test
    void renewalReportsTheOutcomeOfEachGrant() {
        backend.start(null, time);
        List<Grant> grants = List.of(new StoreGrant(claim(true), 1, 0), new StoreGrant(claim(true), 2, 0),
                new StoreGrant(claim(true), 3, 0));
        var renewing = backend.renew(grants).subscribeAsCompletionStage();
        store.renewals.remove().complete(true);
        store.renewals.remove().complete(false);
        store.renewals.remove().completeExceptionally(NO_REPLY);
        var renewal = renewing.join();
        assertThat(renewal.renewed()).singleElement().isSameAs(grants.get(0));
        assertThat(renewal.lost()).singleElement().isSameAs(grants.get(1));
        assertThat(renewal.unknown()).singleElement().isSameAs(grants.get(2));
        assertThat(backend.renew(List.of()).await().indefinitely().renewed()).isEmpty();
    }

    private void assertNothingIsAsked() {
        time.advance(LEASE);
        assertThat(store.takes).isEmpty();
        assertThat(store.releases).isEmpty();
    }

    /** Keeps requests until the test answers them. */
    private static final class AskedStore implements LockStore {

        private final Queue<CompletableFuture<Attempt>> takes = new ArrayDeque<>();
        private final Queue<CompletableFuture<Boolean>> renewals = new ArrayDeque<>();
        private final Queue<CompletableFuture<Boolean>> releases = new ArrayDeque<>();

        private static <T> Uni<T> asked(Queue<CompletableFuture<T>> questions) {
            return Uni.createFrom().completionStage(() -> {
                var question = new CompletableFuture<T>();
                questions.add(question);
                return question;
            });
        }

        private boolean answersNull;
        /** As if a class were missing. */
        private boolean lacksAClass;

        @Override
        public Uni<Attempt> take(Claim claim) {
            check();
            return answersNull ? null : asked(takes);
        }

        @Override
        public Uni<Boolean> renew(String name, String token, long leaseNanos) {
            return asked(renewals);
        }

        @Override
        public Uni<Boolean> release(String name, String token) {
            check();
            return answersNull ? null : asked(releases);
        }

        private void check() {
            if (lacksAClass) {
                throw new InternalError("no class: on purpose");
            }
        }

        @Override
        public Uni<Optional<LockInfo.Holder>> inspect(String name) {
            return Uni.createFrom().item(Optional.empty());
        }

        @Override
        public Uni<Boolean> forceRelease(String name) {
            return Uni.createFrom().item(false);
        }

        @Override
        public void close() {
            // nothing to close
        }
    }
}
