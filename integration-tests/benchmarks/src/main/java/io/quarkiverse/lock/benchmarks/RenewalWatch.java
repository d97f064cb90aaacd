package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.Renewal;
import io.smallrye.mutiny.Uni;

/** A backend that counts its renewals, so that the end of a sweep can be seen. */
final class RenewalWatch implements LockBackend {

    private final LockBackend backend;
    private final AtomicInteger missing = new AtomicInteger();
    private volatile CompletableFuture<Void> done = new CompletableFuture<>();

    RenewalWatch(LockBackend backend) {
        this.backend = backend;
    }

    CompletableFuture<Void> expect(int renewals) {
        missing.set(renewals);
        done = new CompletableFuture<>();
        return done;
    }

    @Override
    public Uni<Renewal> renew(List<? extends Grant> grants) {
        return backend.renew(grants).invoke(renewal -> {
            if (!renewal.lost().isEmpty()) {
                done.completeExceptionally(new IllegalStateException(renewal.lost().size() + " locks are gone"));
            } else if (missing.addAndGet(-renewal.renewed().size()) <= 0) {
                done.complete(null);
            }
        });
    }

    @Override
    public String name() {
        return backend.name();
    }

    @Override
    public void start(BackendListener listener, LockTime time) {
        backend.start(listener, time);
    }

    @Override
    public Uni<Answer> acquire(Claim claim) {
        return backend.acquire(claim);
    }

    @Override
    public Uni<Void> release(Grant grant) {
        return backend.release(grant);
    }

    @Override
    public Uni<LockQuery.Page> list(LockQuery query) {
        return backend.list(query);
    }

    @Override
    public Uni<Optional<LockInfo>> inspect(String name) {
        return backend.inspect(name);
    }

    @Override
    public Uni<Boolean> forceRelease(String name) {
        return backend.forceRelease(name);
    }

    @Override
    public Set<Feature> features() {
        return backend.features();
    }

    @Override
    public Duration operationTimeout() {
        return backend.operationTimeout();
    }

    @Override
    public void close() {
        backend.close();
    }
}
