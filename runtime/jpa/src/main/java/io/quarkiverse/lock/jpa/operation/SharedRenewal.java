package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.Statements;

/**
 * Renews shared grants. Their names' rows are locked one by one, ordered by id, so that two JVMs that renew the same names
 * cannot wait for each other. Then all grants are renewed together.
 */
public final class SharedRenewal {

    /** While one transaction has these names locked, others wait for them. */
    public static final int BATCH = 64;

    private SharedRenewal() {
    }

    /**
     * The tokens of the grants that are still alive.
     *
     * @param batch sorted by id
     * @param asked receives the tokens of grants whose release is requested
     */
    public static Set<String> of(Steps steps, Statements statements, long deadline, long leaseMicros, List<JpaGrant> batch,
            Set<String> asked)
            throws SQLException {
        return steps.transaction(deadline,
                connection -> inTransaction(statements, connection, leaseMicros, batch, asked));
    }

    private static Set<String> inTransaction(Statements statements, LockConnection connection, long leaseMicros,
            List<JpaGrant> batch, Set<String> asked) throws SQLException {
        Map<String, LockRow> rows = new HashMap<>();
        for (JpaGrant grant : batch) {
            if (!rows.containsKey(grant.id())) {
                rows.put(grant.id(), LockRow.lock(connection, statements, grant.id()));
            }
        }
        Long read = connection.first(statements.now, row -> row.getLong(1));
        long now = read == null ? 0 : read;
        int size = LeaseRenewal.size(batch.size());
        Object[] keys = new Object[2 * size];
        LeaseRenewal.idsAndTokens(batch, size, keys, 0);
        Map<String, String> live = live(connection, statements.sharers(size), rows, keys, now, asked);
        if (live.isEmpty()) {
            return Set.of();
        }
        // Expired ones are replaced by a live one, so that the statement's text stays the same
        String any = live.keySet().iterator().next();
        Object[] renewed = new Object[1 + 2 * size];
        Object[] ids = new Object[size];
        renewed[0] = now + leaseMicros;
        for (int i = 0; i < size; i++) {
            String token = live.containsKey(keys[size + i]) ? (String) keys[size + i] : any;
            renewed[1 + i] = live.get(token);
            renewed[1 + size + i] = token;
            ids[i] = live.get(token);
        }
        connection.update(statements.renewSharers(size), renewed);
        connection.update(statements.sharedUntil(size), ids); // possibly an earlier time than before
        return new HashSet<>(live.keySet());
    }

    /** Token to id. A share is over once somebody else got the name exclusively after it, even if a slow clock hides that. */
    private static Map<String, String> live(LockConnection connection, String sql, Map<String, LockRow> rows, Object[] keys,
            long now, Set<String> asked) throws SQLException {
        Object[] parameters = java.util.Arrays.copyOf(keys, keys.length + 1);
        parameters[keys.length] = now;
        Map<String, String> live = new HashMap<>();
        connection.all(sql, found -> {
            LockRow row = rows.get(found.getString(1));
            if (row != null && row.since() <= found.getLong(3)) {
                live.put(found.getString(2), found.getString(1));
            }
            if (found.getInt(4) == 1) {
                asked.add(found.getString(2));
            }
            return true;
        }, parameters);
        return live;
    }
}
