package io.quarkiverse.lock.it.jpa;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Counts up in the same database that has the locks: each in a transaction of its own, or in the caller's. */
@ApplicationScoped
class Counts {

    private final Witness witness;
    private final EntityManager entities;

    Counts(Witness witness, EntityManager entities) {
        this.witness = witness;
        this.entities = entities;
    }

    @Transactional
    long up(String id) {
        witness.enter();
        try {
            Count count = entities.find(Count.class, id);
            if (count == null) {
                count = new Count();
                count.id = id;
                entities.persist(count);
            }
            return ++count.value;
        } finally {
            witness.leave();
        }
    }

    @Transactional(TxType.REQUIRES_NEW)
    long upOnItsOwn(String id) {
        return up(id);
    }
}
