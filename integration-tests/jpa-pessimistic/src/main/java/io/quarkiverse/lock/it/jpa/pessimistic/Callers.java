package io.quarkiverse.lock.it.jpa.pessimistic;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

/** Begin a transaction before anything is locked. */
@ApplicationScoped
@Transactional
class Callers {

    private final Counter counter;

    Callers(Counter counter) {
        this.counter = counter;
    }

    void plain(String id) {
        counter.plain(id);
    }

    /** The transaction already has the lock, so the second call does not wait. */
    void twice(String id) {
        counter.plain(id);
        counter.transactional(id);
    }

    void requiresNewThenRolledBack(String id) {
        counter.requiresNew(id);
        throw new RolledBack();
    }

    void plainThenRolledBack(String id) {
        counter.plain(id);
        throw new RolledBack();
    }
}
