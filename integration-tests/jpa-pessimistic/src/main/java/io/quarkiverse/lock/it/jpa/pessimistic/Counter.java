package io.quarkiverse.lock.it.jpa.pessimistic;

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

    /** The transaction begins first, then the lock is taken in it, and both end together. */
    @Locked("counter-{id}")
    @Transactional
    public void transactional(String id) {
        add(id);
    }

    /** In the caller's transaction, or, if there is none, in one that is begun for the method. */
    @Locked("counter-{id}")
    public void plain(String id) {
        add(id);
    }

    /** Counts, and rolls it back. */
    @Locked("counter-{id}")
    @Transactional
    public void transactionalRolledBack(String id) {
        add(id);
        entities.flush();
        throw new RolledBack();
    }

    /** The same in the transaction that is begun for the method. */
    @Locked("counter-{id}")
    public void plainRolledBack(String id) {
        add(id);
        entities.flush();
        throw new RolledBack();
    }

    /** In a new transaction, whatever becomes of the caller's. */
    @Locked("counter-{id}")
    @Transactional(TxType.REQUIRES_NEW)
    public void requiresNew(String id) {
        add(id);
    }

    /** The same, and then runs a body in that transaction. */
    @Locked("counter-{id}")
    @Transactional(TxType.REQUIRES_NEW)
    public void requiresNew(String id, Runnable body) {
        add(id);
        body.run();
    }

    /** Runs a body under the lock. */
    @Locked("counter-{id}")
    @Transactional
    public void holding(String id, Runnable body) {
        body.run();
    }

    /** In a new transaction, and without a lock. */
    @Transactional(TxType.REQUIRES_NEW)
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
}
