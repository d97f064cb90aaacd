package io.quarkiverse.lock.it.faults;

import java.sql.Connection;
import java.sql.SQLException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.Locked;

/** Reads a number and writes its successor: exact only if the next reader comes after the commit. */
@ApplicationScoped
public class Counter {

    static final String LOCK = "counter";

    @Inject
    AgroalDataSource data;

    /** The lock is taken before the transaction begins, and released after it has committed. */
    @Locked(LOCK)
    @Transactional
    public void increment() throws SQLException {
        add();
    }

    /** For a caller that has begun a transaction: the lock is released when that ends. */
    @Locked(LOCK)
    public void incrementInTransaction() throws SQLException {
        add();
    }

    /** Shows what is lost without a lock. */
    @Transactional
    public void incrementUnguarded() throws SQLException {
        add();
    }

    private void add() throws SQLException {
        try (Connection connection = data.getConnection(); var statement = connection.createStatement()) {
            try (var result = statement.executeQuery("select n from counter")) {
                result.next();
                int next = result.getInt(1) + 1;
                Thread.yield();
                statement.executeUpdate("update counter set n = " + next);
            }
        }
    }
}
