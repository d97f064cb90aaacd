package io.quarkiverse.lock.it.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.FencingGuard;
import io.quarkiverse.lock.rest.SentFencingTokens;
import io.quarkus.runtime.StartupEvent;

@Path("/stock/{id}")
public class StockResource {

    // tag::guard[]
    private final FencingGuard guard = new FencingGuard();

    @Inject
    SentFencingTokens tokens;
    // end::guard[]

    @Inject
    AgroalDataSource data;

    void tables(@Observes StartupEvent start) throws SQLException {
        try (Connection connection = data.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE quarkus_lock_fence (resource VARCHAR(255) PRIMARY KEY, token BIGINT NOT NULL)");
            statement.execute("CREATE TABLE stock (id VARCHAR(255) PRIMARY KEY, amount INT)");
        }
    }

    // tag::write[]
    @PUT
    @Transactional
    public void write(String id, @QueryParam("amount") int amount) throws SQLException {
        try (Connection connection = data.getConnection()) {
            guard.check(connection, "stock-" + id, tokens.of("stock-" + id));
            update(connection, id, amount);
        }
    }
    // end::write[]

    @PUT
    @Path("/unguarded")
    @Transactional
    public void writeUnguarded(String id, @QueryParam("amount") int amount) throws SQLException {
        try (Connection connection = data.getConnection()) {
            update(connection, id, amount);
        }
    }

    @GET
    public int read(String id) throws SQLException {
        try (Connection connection = data.getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT amount FROM stock WHERE id = ?")) {
            statement.setString(1, id);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getInt(1) : 0;
            }
        }
    }

    private static void update(Connection connection, String id, int amount) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("MERGE INTO stock VALUES (?, ?)")) {
            statement.setString(1, id);
            statement.setInt(2, amount);
            statement.executeUpdate();
        }
    }
}
