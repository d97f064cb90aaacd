package org.acme;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.FencingGuard;
import io.quarkiverse.lock.rest.SentFencingTokens;

@Path("/stock/{id}")
public class StockResource {

    private final FencingGuard guard = new FencingGuard();

    @Inject
    SentFencingTokens tokens;

    @Inject
    AgroalDataSource data;

    @GET
    public int read(@PathParam("id") String id) throws SQLException {
        try (Connection connection = data.getConnection();
                PreparedStatement query = connection.prepareStatement("SELECT amount FROM stock WHERE id = ?")) {
            query.setString(1, id);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? rows.getInt(1) : 0;
            }
        }
    }

    @PUT
    @Transactional
    public void write(@PathParam("id") String id, @QueryParam("amount") int amount) throws SQLException {
        try (Connection connection = data.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE stock SET amount = ? WHERE id = ?")) {
            guard.check(connection, "stock-" + id, tokens.of("stock-" + id)); // <1>
            update.setInt(1, amount);
            update.setString(2, id);
            update.executeUpdate();
        }
    }
}
