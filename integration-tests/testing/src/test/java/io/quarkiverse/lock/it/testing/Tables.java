package io.quarkiverse.lock.it.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import io.agroal.api.AgroalDataSource;
import io.quarkus.runtime.StartupEvent;

/** The tables that the guide's examples write to. */
@ApplicationScoped
public class Tables {

    @Inject
    AgroalDataSource data;

    void create(@Observes StartupEvent start) throws SQLException {
        try (Connection connection = data.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE quarkus_lock_fence (resource VARCHAR(255) PRIMARY KEY, token BIGINT NOT NULL)");
            statement.execute("CREATE TABLE stock (id VARCHAR(255) PRIMARY KEY, amount INT NOT NULL, fence BIGINT NOT NULL)");
        }
    }

    /** A row of the stock that nobody has changed. */
    public void stock(String id, int amount) {
        try (Connection connection = data.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO stock VALUES (?, ?, 0)")) {
            insert.setString(1, id);
            insert.setInt(2, amount);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public int amount(String id) throws SQLException {
        try (Connection connection = data.getConnection();
                PreparedStatement query = connection.prepareStatement("SELECT amount FROM stock WHERE id = ?")) {
            query.setString(1, id);
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }
}
