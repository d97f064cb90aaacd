package io.quarkiverse.lock.it.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import io.agroal.api.AgroalDataSource;

/** What a server must not offer. */
@Path("/stock/{id}/unguarded")
public class UnguardedStockResource {

    @Inject
    AgroalDataSource data;

    @PUT
    @Transactional
    public void write(String id, @QueryParam("amount") int amount) throws SQLException {
        try (Connection connection = data.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE stock SET amount = ? WHERE id = ?")) {
            update.setInt(1, amount);
            update.setString(2, id);
            update.executeUpdate();
        }
    }
}
