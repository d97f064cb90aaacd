package io.quarkiverse.lock.jpa;

import java.sql.SQLException;
import java.util.List;

/**
 * Takes everything of a claim out of the database, waiting or granted: in a short transaction with the name's row locked,
 * because the queue's end depends on who is left.
 */
final class Ending {

    private record Waiting(long now, boolean other, long expires) {
    }

    private Ending() {
    }

    static void of(LockDatabase database, long deadline, String id, String token) throws SQLException {
        boolean awaited = database.transaction(deadline, connection -> inTransaction(database, connection, id, token));
        if (awaited) {
            database.<Boolean> call(deadline, connection -> {
                Telling.wakeFirst(database, connection, id);
                return true;
            });
        }
    }

    /** Whether others wait. */
    private static boolean inTransaction(LockDatabase database, LockConnection connection, String id, String token)
            throws SQLException {
        Statements statements = database.statements();
        LockRow row = database.lockRow(connection, id);
        if (row == null || row.format != LockRow.FORMAT) {
            // Of a newer format nothing here can be the claim's: it was refused
            return false;
        }
        connection.update(statements.dropClaim, id, token);
        List<Waiting> left = connection.all(statements.claims, each -> new Waiting(each.getLong(1),
                "W".equals(each.getString(3)), each.getLong(5)), id);
        long now = left.isEmpty() ? 0 : left.get(0).now;
        long until = 0;
        for (Waiting each : left) {
            if (each.other && each.expires > now) {
                until = Math.max(until, each.expires);
            }
        }
        connection.update(statements.unqueue, until, id);
        if (token.equals(row.token)) {
            connection.update(statements.forget, id, token);
        }
        return until > 0;
    }
}
