package io.quarkiverse.lock.deployment.lifecycle;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Uni;

/** Takes locks in opposite orders. */
@ApplicationScoped
public class Warehouse {

    @Inject
    Warehouse self;

    @Locked("order-{id}")
    void order(int id, String item) {
        self.take(item);
    }

    @Locked("stock-{item}")
    void take(String item) {
        // no more is needed
    }

    @Locked("stock-{item}")
    void refill(String item, int order) {
        self.note(order);
    }

    @Locked("order-{id}")
    void note(int id) {
        // no more is needed
    }

    @Locked("stock-{item}")
    Uni<Void> check(String item, int id) {
        return self.returned(id);
    }

    @Locked("returns-{id}")
    Uni<Void> returned(int id) {
        return Uni.createFrom().voidItem();
    }

    @Locked("returns-{id}")
    Uni<Void> giveBack(int id, String item) {
        return self.stocked(item);
    }

    @Locked("stock-{item}")
    Uni<Void> stocked(String item) {
        return Uni.createFrom().voidItem();
    }
}
