package io.quarkiverse.lock.jpa.table;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.spi.WaitNotes;

/** Who holds a name at one moment, and the notes of its waiters. */
public final class NotedLine {

    private final List<WaitNotes.Holder> holders = new ArrayList<>();
    private final List<WaitNotes.Waiter> waiters = new ArrayList<>();
    private boolean first = true;

    private NotedLine() {
    }

    public static WaitNotes.Line read(LockConnection connection, Statements statements, String id) throws SQLException {
        var line = new NotedLine();
        connection.all(statements.notes, line::add, id);
        return new WaitNotes.Line(line.holders, line.waiters);
    }

    private boolean add(ResultSet row) throws SQLException {
        long now = row.getLong(1);
        if (first && row.getLong(2) > now) {
            holders.add(new WaitNotes.Holder(row.getLong(3), LockMode.EXCLUSIVE, 0));
        }
        first = false;
        String token = row.getString(4);
        if (token == null || row.getLong(6) <= now) {
            return true;
        }
        String note = row.getString(12);
        if (!"W".equals(row.getString(5))) {
            holders.add(new WaitNotes.Holder(row.getLong(8),
                    "S".equals(row.getString(10)) ? LockMode.SHARED : LockMode.EXCLUSIVE, row.getInt(11)));
        } else if (note != null) {
            waiters.add(new WaitNotes.Waiter(token, row.getLong(9), row.getString(7), note));
        }
        return true;
    }
}
