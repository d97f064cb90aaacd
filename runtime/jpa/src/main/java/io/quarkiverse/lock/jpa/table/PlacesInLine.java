package io.quarkiverse.lock.jpa.table;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.spi.Claim;

/** Looks for claims of many names in one statement. Places that are due for a refresh are kept first, in one more. */
public final class PlacesInLine {

    /** Only a few sizes, so that the driver and the database can cache the statements; the rest is filled with repetitions. */
    private static final int[] SIZES = { 4, 16, 64, 256 };
    private static final int LOOKS = SIZES[SIZES.length - 1];
    /** One condition for each. */
    public static final int KEEPS = 64;

    /** A waiting claim, and the key of its name. */
    public record Wanted(String id, Claim claim) {
    }

    /** @param queueUntil the end of the queue */
    public record Seen(QueuePosition position, long queueUntil) {
    }

    private final Statements statements;
    private final long aliveMicros;

    /** @param aliveMicros how long a kept place is valid */
    public PlacesInLine(Statements statements, long aliveMicros) {
        this.statements = statements;
        this.aliveMicros = aliveMicros;
    }

    /** What the claims see, by token. Claims that are missing have lost their places. */
    public Map<String, Seen> look(LockConnection connection, List<Wanted> looking) throws SQLException {
        Map<String, Claim> claims = new HashMap<>();
        looking.forEach(each -> claims.put(each.claim.token(), each.claim));
        Map<String, Seen> seen = new HashMap<>();
        for (int i = 0; i < looking.size(); i += LOOKS) {
            turns(connection, looking.subList(i, Math.min(i + LOOKS, looking.size())), claims, seen);
        }
        return seen;
    }

    /** At most {@link #KEEPS}, in a transaction: it must not wait long for any of them. */
    public void keep(LockConnection connection, List<Wanted> batch) throws SQLException {
        int size = size(batch.size());
        Object[] parameters = new Object[1 + 2 * size];
        parameters[0] = aliveMicros;
        for (int i = 0; i < size; i++) {
            Wanted each = batch.get(Math.min(i, batch.size() - 1));
            parameters[1 + 2 * i] = each.id;
            parameters[2 + 2 * i] = each.claim.token();
        }
        connection.update(statements.keepPlaces(size), parameters);
    }

    private void turns(LockConnection connection, List<Wanted> batch, Map<String, Claim> claims, Map<String, Seen> seen)
            throws SQLException {
        int size = size(batch.size());
        Object[] parameters = new Object[2 * size];
        for (int i = 0; i < size; i++) {
            Wanted each = batch.get(Math.min(i, batch.size() - 1));
            parameters[i] = each.id;
            parameters[size + i] = each.claim.token();
        }
        connection.all(statements.turns(size), row -> {
            String token = row.getString(6);
            QueuePosition position = QueuePosition.read(row);
            Claim claim = claims.get(token);
            if (!claim.exclusive()) {
                // Nobody who only looks needs the end of the last one
                var sharers = new Sharers(row.getInt(7), row.getInt(8), row.getInt(9), row.getLong(10), 0);
                position = position.together(row.getLong(2), sharers.admit(QueueSnapshot.mode(claim), claim.limit()),
                        sharers.firstEnd());
            }
            return seen.put(token, new Seen(position, row.getLong(5)));
        }, parameters);
    }

    private static int size(int count) {
        for (int size : SIZES) {
            if (count <= size) {
                return size;
            }
        }
        throw new IllegalArgumentException("More than a batch: " + count);
    }
}
