package io.quarkiverse.lock.it.faults;

import java.sql.SQLException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

/** Begins a transaction before anything is locked. */
@ApplicationScoped
public class Callers {

    @Inject
    Counter counter;

    @Transactional
    public void incrementInside() throws SQLException {
        counter.incrementInTransaction();
    }
}
