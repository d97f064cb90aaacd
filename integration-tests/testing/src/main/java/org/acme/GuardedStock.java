package org.acme;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.FencingGuard;
import io.quarkiverse.lock.Locked;

@ApplicationScoped
public class GuardedStock {

    private final FencingGuard guard = new FencingGuard();

    @Inject
    CurrentLock lock;

    @Inject
    AgroalDataSource data;

    @Locked("stock-{id}")
    @Transactional
    void sell(String id) throws SQLException {
        try (Connection connection = data.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE stock SET amount = amount - 1 WHERE id = ?")) {
            guard.check(connection, "stock-" + id, lock.fencingToken()); // <1>
            update.setString(1, id);
            update.executeUpdate();
        }
    }
}
