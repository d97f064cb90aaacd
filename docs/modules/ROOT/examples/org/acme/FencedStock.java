package org.acme;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.Locked;

@ApplicationScoped
public class FencedStock {

    @Inject
    CurrentLock lock;

    @Inject
    AgroalDataSource data;

    @Locked("stock-{id}")
    @Transactional
    void write(String id, int amount) throws SQLException {
        long token = lock.fencingToken(); // <1>
        try (Connection connection = data.getConnection();
                PreparedStatement update = connection
                        .prepareStatement("UPDATE stock SET amount = ?, fence = ? WHERE id = ? AND fence <= ?")) {
            update.setInt(1, amount);
            update.setLong(2, token);
            update.setString(3, id);
            update.setLong(4, token);
            if (update.executeUpdate() == 0) {
                throw new IllegalStateException("A later holder has written already");
            }
        }
    }
}
