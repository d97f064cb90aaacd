package io.quarkiverse.lock.it.jpa;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;

import io.quarkiverse.lock.it.Counts;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** In the database that also has the locks, each access in a separate transaction. */
@ApplicationScoped
class JpaCounts implements Counts {

    private final EntityManager entities;

    JpaCounts(EntityManager entities) {
        this.entities = entities;
    }

    @Override
    public long read(String id) {
        return QuarkusTransaction.requiringNew().call(() -> {
            Count count = entities.find(Count.class, id);
            return count == null ? 0 : count.value;
        });
    }

    @Override
    public void write(String id, long value) {
        QuarkusTransaction.requiringNew().run(() -> {
            Count count = new Count();
            count.id = id;
            count.value = value;
            entities.merge(count);
        });
    }

    @Override
    public Uni<Long> readLater(String id) {
        return Uni.createFrom().item(() -> read(id)).runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
    }

    @Override
    public Uni<Void> writeLater(String id, long value) {
        return Uni.createFrom().voidItem().invoke(() -> write(id, value))
                .runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
    }
}
