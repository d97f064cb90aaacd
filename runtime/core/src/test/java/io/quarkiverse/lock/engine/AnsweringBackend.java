package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Answers a claim when the test says so; renews and releases everything. */
final class AnsweringBackend implements LockBackend {

    final List<Claim> asked = new ArrayList<>();
    final List<Claim> cancelled = new ArrayList<>();
    final List<Grant> granted = new ArrayList<>();
    final List<Grant> released = new ArrayList<>();
    final List<List<? extends Grant>> renewed = new ArrayList<>();
    Set<Feature> features = Set.of(Feature.values());
    /** {@code null} if the backend cannot. */
    Boolean requested;
    /** Where everything but claims is answered: on the asking thread, unless a test says otherwise. */
    Executor answers = Runnable::run;
    /** The failure of every release; {@code null} if none fails. */
    RuntimeException releaseFailure;
    Duration operationTimeout = Duration.ofSeconds(2);
    volatile boolean closed;
    BackendListener listener;
    LockTime time;
    private final List<UniSubscriber<? super Answer>> subscribers = new ArrayList<>();
    Runnable whenRestored = () -> {
    };
    /** Lets a test answer while a checkpoint waits for what was withdrawn. */
    Runnable whenWithdrawn = () -> {
    };
    private long fence = 1;
    boolean together;
    /** Runs when it is asked whether it can. */
    Runnable whenChoosing = () -> {
    };
    /** Lets a test answer during the call. */
    Runnable whenAsked = () -> {
    };
    /** Lets a test answer another claim meanwhile. */
    Runnable whenCancelled = () -> {
    };
    final List<List<Claim>> askedTogether = new ArrayList<>();
    int cancelledTogether;
    /** Lets a test answer during the call. */
    Runnable whenAskedTogether = () -> {
    };
    private UniSubscriber<? super List<? extends Grant>> togetherSubscriber;

    /** The latest claim. */
    Claim claim() {
        return asked.get(asked.size() - 1);
    }

    /** Grants the latest claim. */
    void grant() {
        grant(asked.size() - 1);
    }

    void grant(int request) {
        Grant grant = new Grant(asked.get(request), fence++, time.nanoTime());
        granted.add(grant);
        answer(request, grant);
    }

    void answer(int request, Answer answer) {
        subscribers.get(request).onItem(answer);
    }

    @Override
    public String name() {
        return "answering";
    }

    @Override
    public void start(BackendListener toTell, LockTime lockTime) {
        listener = toTell;
        time = lockTime;
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super Answer> subscriber) {
                asked.add(claim);
                subscribers.add(subscriber);
                subscriber.onSubscribe(() -> {
                    cancelled.add(claim);
                    whenCancelled.run();
                });
                whenAsked.run();
            }
        };
    }

    @Override
    public boolean takesTogether(List<String> names) {
        whenChoosing.run();
        return together;
    }

    @Override
    public Uni<List<? extends Grant>> acquireTogether(List<Claim> claims) {
        return new AbstractUni<>() {
            @Override
            public void subscribe(UniSubscriber<? super List<? extends Grant>> subscriber) {
                askedTogether.add(claims);
                togetherSubscriber = subscriber;
                subscriber.onSubscribe(() -> cancelledTogether++);
                whenAskedTogether.run();
            }
        };
    }

    /** Grants the claims that were last asked for together. */
    void grantTogether() {
        List<Grant> grants = new ArrayList<>();
        for (Claim claim : askedTogether.get(askedTogether.size() - 1)) {
            grants.add(new Grant(claim, fence++, time.nanoTime()));
        }
        granted.addAll(grants);
        togetherSubscriber.onItem(grants);
    }

    void refuseTogether() {
        togetherSubscriber.onItem(List.of());
    }

    void failTogether(Throwable failure) {
        togetherSubscriber.onFailure(failure);
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        renewed.add(grants);
        return Uni.createFrom().item(new Renewal(grants, List.of(), List.of())).emitOn(answers);
    }

    @Override
    public Uni<Void> release(Grant grant) {
        released.add(grant);
        Uni<Void> answer = releaseFailure == null ? Uni.createFrom().voidItem() : Uni.createFrom().failure(releaseFailure);
        return answer.emitOn(answers);
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return Uni.createFrom().item(Optional.<LockInfo> empty()).emitOn(answers);
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return Uni.createFrom().item(false).emitOn(answers);
    }

    @Override
    public Uni<Boolean> requestRelease(String name) {
        return requested == null ? LockBackend.super.requestRelease(name) : Uni.createFrom().item(requested).emitOn(answers);
    }

    @Override
    public Set<Feature> features() {
        return features;
    }

    @Override
    public Duration operationTimeout() {
        return operationTimeout;
    }

    @Override
    public void beforeCheckpoint() {
        whenWithdrawn.run();
    }

    @Override
    public void afterRestore() {
        whenRestored.run();
    }

    @Override
    public void close() {
        closed = true;
    }
}
