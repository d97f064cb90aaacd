package io.quarkiverse.lock.it.jpa;

import java.util.Comparator;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

import org.eclipse.microprofile.context.ManagedExecutor;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Uni;

/** Counts up by reading, adding one and writing: a call that comes in between is lost, unless the lock keeps it out. */
@ApplicationScoped
public class Orders {

    private final Witness witness;
    private final LockManager locks;
    private final Counts counts;
    private final ManagedExecutor workers;

    Orders(Witness witness, LockManager locks, Counts counts, ManagedExecutor workers) {
        this.witness = witness;
        this.locks = locks;
        this.counts = counts;
        this.workers = workers;
    }

    @Locked("order-{order.id}")
    @Transactional
    public long count(Order order) {
        return counts.up(order.id());
    }

    /** Counts, and takes it back. */
    @Locked("order-{order.id}")
    @Transactional
    public long countAndFail(Order order) {
        counts.up(order.id());
        throw new IllegalArgumentException("rolled back");
    }

    /** Not in the transaction that the caller may have. */
    @Locked("order-{order.id}")
    public long countOnItsOwn(Order order) {
        return counts.upOnItsOwn(order.id());
    }

    @Locked("order-{order.id}")
    public Uni<Long> countLater(Order order) {
        return Uni.createFrom().item(() -> counts.up(order.id())).runSubscriptionOn(workers);
    }

    @Locked("order-{order.id}")
    public CompletionStage<Long> countInStage(Order order) {
        return workers.supplyAsync(() -> counts.up(order.id()));
    }

    /** Calls that need the same lock again, through the bean that keeps it. */
    @Locked("order-{order.id}")
    public <T> T inside(Order order, Supplier<T> body) {
        return body.get();
    }

    @Locked("{order.id}/{order.customer.country}/{order.customer.number}")
    public String namedByEverything(Order order) {
        return youngestHold();
    }

    @Locked("transfer-{from}-{to}")
    public String namedByTwo(String from, String to) {
        return youngestHold();
    }

    @Locked
    public String namedByTheMethod() {
        return youngestHold();
    }

    int mostAtOnce() {
        return witness.most();
    }

    private String youngestHold() {
        return locks.held().stream().min(Comparator.comparing(HeldLock::heldFor)).orElseThrow().name();
    }
}
