package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;

/** Grants at once but only for a moment, and answers no renewal by itself. */
final class PushingBackend implements LockBackend {

    static final Duration CLAIM_LEASE = Duration.ofSeconds(3);

    BackendListener listener;
    LockTime time;
    Grant last;
    int asked;
    @Nullable
    RuntimeException refuses;
    @Nullable
    Error lacks;
    int renewals;
    private CompletableFuture<Renewal> renewal;
    List<Grant> toRenew = List.of();
    int released;
    boolean tellsOfWaiters = true;
    /** How many releases fail from now on. */
    int unreachable;
    /** Releases find nothing. */
    boolean gone;
    /** A grant is on its way until {@link #answer} runs. */
    boolean slow;
    Runnable answer;
    /** A release has no answer until {@link #releaseAnswer} completes. */
    boolean slowRelease;
    CompletableFuture<Void> releaseAnswer;
    private long fence = 1;

    @Override
    public String name() {
        return "pushing";
    }

    @Override
    public void start(BackendListener toTell, LockTime lockTime) {
        listener = toTell;
        time = lockTime;
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        asked++;
        if (refuses != null) {
            throw refuses;
        }
        if (lacks != null) {
            throw lacks;
        }
        last = new Grant(claim, fence++, time.nanoTime(), CLAIM_LEASE.toNanos(), true);
        Grant grant = last;
        return slow ? Uni.createFrom().emitter(emitter -> answer = () -> emitter.complete(grant))
                : Uni.createFrom().item(grant);
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        renewals++;
        renewal = new CompletableFuture<>();
        toRenew = List.copyOf(grants);
        return Uni.createFrom().completionStage(renewal);
    }

    /** The last renewal has succeeded. */
    void confirm() {
        renewal.complete(new Renewal(toRenew, List.of(), List.of()));
    }

    /** The last renewal has no answer. */
    void ignore() {
        renewal.complete(new Renewal(List.of(), List.of(), toRenew));
    }

    /** The last renewal has found nothing. */
    void deny() {
        renewal.complete(new Renewal(List.of(), toRenew, List.of()));
    }

    @Override
    public Uni<Void> release(Grant grant) {
        released++;
        if (unreachable-- > 0) {
            return Uni.createFrom().failure(new IllegalStateException("cannot be reached"));
        }
        if (gone) {
            return Uni.createFrom().failure(new LockLostException(grant.name(), "it was not there", null));
        }
        if (slowRelease) {
            releaseAnswer = new CompletableFuture<>();
            return Uni.createFrom().completionStage(releaseAnswer);
        }
        return Uni.createFrom().voidItem();
    }

    @Override
    public Uni<Void> releaseAfter(Grant grant, long nanos) {
        return release(grant);
    }

    @Override
    public Uni<Boolean> downgrade(Grant grant) {
        return Uni.createFrom().item(true);
    }

    @Override
    public boolean tellsOfWaiters() {
        return tellsOfWaiters;
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
        return Set.of(Feature.SHARED, Feature.DOWNGRADE, Feature.HOLD_AT_LEAST, Feature.AFTER_LOSS_DELAY);
    }

    @Override
    public Duration operationTimeout() {
        return Duration.ofSeconds(2);
    }

    @Override
    public void close() {
    }
}
