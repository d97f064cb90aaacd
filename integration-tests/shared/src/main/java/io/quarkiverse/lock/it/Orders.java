package io.quarkiverse.lock.it;

import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Uni;

/** Counts up by reading, adding one and writing: a call in between is lost, unless the lock keeps it out. */
@ApplicationScoped
public class Orders {

    private final Witness witness;
    private final LockManager locks;
    private final Counts counts;

    Orders(Witness witness, LockManager locks, Counts counts) {
        this.witness = witness;
        this.locks = locks;
        this.counts = counts;
    }

    @Locked("order-{order.id}")
    public long count(Order order) {
        witness.enter();
        try {
            long next = counts.read(order.id()) + 1;
            counts.write(order.id(), next);
            return next;
        } finally {
            witness.leave();
        }
    }

    @Locked("order-{order.id}")
    public Uni<Long> countLater(Order order) {
        witness.enter();
        return counts.readLater(order.id()).map(read -> read + 1)
                .call(next -> counts.writeLater(order.id(), next))
                .onTermination().invoke(witness::leave);
    }

    @Locked("order-{order.id}")
    public CompletionStage<Long> countInStage(Order order) {
        witness.enter();
        return CompletableFuture.supplyAsync(() -> {
            long next = counts.read(order.id()) + 1;
            counts.write(order.id(), next);
            witness.leave();
            return next;
        });
    }

    /** For calls that need the same lock again, through the bean that holds it. */
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
