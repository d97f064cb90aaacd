package io.quarkiverse.lock.it.jpa;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

import io.quarkiverse.lock.Locked;

/** Reads a number and writes its successor: exact only if the next reader comes after the commit. */
@ApplicationScoped
public class Counter {

    private final EntityManager entities;

    Counter(EntityManager entities) {
        this.entities = entities;
    }

    /** The lock is taken before the transaction begins, and released after it has committed. */
    @Locked("counter-{id}")
    @Transactional
    public void around(String id) {
        add(id);
    }

    /** Counts, and rolls it back. */
    @Locked("counter-{id}")
    @Transactional
    public void rolledBack(String id) {
        add(id);
        entities.flush();
        throw new RolledBack();
    }

    /** In the transaction that the caller has begun: the lock is released when that ends. */
    @Locked("counter-{id}")
    public void inside(String id) {
        add(id);
    }

    /** Runs a body under the lock, which also lasts as long as the caller's transaction, if there is one. */
    @Locked("counter-{id}")
    public void holding(String id, Runnable body) {
        body.run();
    }

    /** Not in the caller's transaction. */
    @Transactional(TxType.REQUIRES_NEW)
    public void onItsOwn(String id) {
        add(id);
    }

    /** Shows what is lost without a lock. */
    @Transactional
    public void unguarded(String id) {
        add(id);
    }

    @Transactional
    public long value(String id) {
        Count count = entities.find(Count.class, id);
        return count == null ? 0 : count.value;
    }

    /** Creates the row, so that nobody counts by inserting it. */
    @Transactional
    public void reset(String id) {
        Count count = new Count();
        count.id = id;
        entities.merge(count);
    }

    private void add(String id) {
        Count count = entities.find(Count.class, id);
        Thread.yield();
        count.value++;
    }

    static final class RolledBack extends RuntimeException {

        private static final long serialVersionUID = 1;
    }
}
