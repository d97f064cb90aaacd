package io.quarkiverse.lock.jpa.schema;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.dialect.LockDialect;
import io.quarkiverse.lock.jpa.dialect.MySqlLockDialect;

/**
 * Whether a table with all its columns also excludes: only its primary key keeps two first holders of a name apart, and only an
 * engine with transactions keeps rows locked. Not checked where the driver does not tell the table of a query.
 */
final class ExclusionCheck {

    /** MySQL and MariaDB. A view has no engine. */
    private static final String NO_TRANSACTIONS = "SELECT t.engine FROM information_schema.tables t "
            + "JOIN information_schema.engines e ON e.engine = t.engine "
            + "WHERE t.table_schema = ? AND t.table_name = ? AND COALESCE(e.transactions, 'NO') <> 'YES'";

    private static final long PAUSE_NANOS = 50_000_000;

    private final Connection connection;
    private final LockDialect dialect;

    ExclusionCheck(Connection connection, LockDialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    /**
     * What the table lacks and what to do, or null.
     *
     * @param table as statements name it
     * @param found of a query that reads it
     * @param key the columns of its primary key
     * @param looks how often to look for the key
     */
    @Nullable
    String problem(String table, ResultSetMetaData found, Set<String> key, int looks) throws SQLException {
        String catalog = orNull(found.getCatalogName(1));
        String schema = orNull(found.getSchemaName(1));
        String name = found.getTableName(1);
        if (name == null || name.isEmpty()) {
            return null;
        }
        if (dialect instanceof MySqlLockDialect) {
            String database = schema == null ? catalog : schema; // as the driver is told to call it
            String engine = new LockConnection(connection).first(NO_TRANSACTIONS, row -> row.getString(1), database, name);
            if (engine != null) {
                return "has the storage engine " + engine + ", which has no transactions and so keeps no row locked. Run: "
                        + "ALTER TABLE " + table + " ENGINE=InnoDB";
            }
            if (isView(catalog, schema, name)) {
                return "is a view, which has no primary key that statements could name, as those of locks do. Let the schema "
                        + "or the naming strategy of the persistence unit lead to a table";
            }
        }
        return getsKey(catalog, schema, name, key, looks) ? null
                : "lacks its primary key, without which two callers could hold the same lock. Run: ALTER TABLE " + table
                        + " ADD PRIMARY KEY (" + String.join(", ", new TreeSet<>(key)) + ")";
    }

    /** Looks several times: another JVM may be creating the table, to which some databases add the key last. */
    private boolean getsKey(@Nullable String catalog, @Nullable String schema, String name, Set<String> key, int looks)
            throws SQLException {
        for (int look = 1; !hasKey(catalog, schema, name, key); look++) {
            if (look == looks) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    /**
     * A view has the keys of its table, which cannot be seen. Where the driver does not tell the schema of a query, one of the
     * tables with this name has to have the key.
     */
    private boolean hasKey(@Nullable String catalog, @Nullable String schema, String name, Set<String> key)
            throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        Map<String, Set<String>> columns = new HashMap<>();
        try (ResultSet keys = database.getPrimaryKeys(catalog, schema, name)) {
            while (keys.next()) {
                columns.computeIfAbsent(String.valueOf(keys.getString("TABLE_SCHEM")), each -> new HashSet<>())
                        .add(keys.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        if (columns.containsValue(key)) {
            return true;
        }
        return isView(catalog, schema, name);
    }

    private boolean isView(@Nullable String catalog, @Nullable String schema, String name) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String pattern = name.replace("_", database.getSearchStringEscape() + "_");
        try (ResultSet views = database.getTables(catalog, schema, pattern, new String[] { "VIEW" })) {
            return views.next();
        }
    }

    private static @Nullable String orNull(@Nullable String name) {
        return name == null || name.isEmpty() ? null : name;
    }
}
