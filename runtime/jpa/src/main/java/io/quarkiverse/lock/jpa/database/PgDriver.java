package io.quarkiverse.lock.jpa.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.core.BaseConnection;

/** The driver, where the application has it. */
public final class PgDriver implements PostgresDriver {

    @Override
    public @Nullable Transaction transaction(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(BaseConnection.class)) {
            return null;
        }
        return switch (connection.unwrap(BaseConnection.class).getTransactionState()) {
            case IDLE -> Transaction.NOT_BEGUN;
            case OPEN -> Transaction.OPEN;
            case FAILED -> Transaction.FAILED;
        };
    }

    @Override
    public List<String> notifications(Connection connection, int patienceMillis) throws SQLException {
        PGNotification[] heard = connection.unwrap(PGConnection.class).getNotifications(patienceMillis);
        if (heard == null) {
            return List.of();
        }
        List<String> texts = new ArrayList<>(heard.length);
        for (PGNotification each : heard) {
            texts.add(each.getParameter());
        }
        return texts;
    }
}
