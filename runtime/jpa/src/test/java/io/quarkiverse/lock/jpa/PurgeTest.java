package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.jpa.table.Purge;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.TestTime;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** Rows of names that nobody has used for a long time are deleted, however many rows there are. */
class PurgeTest {

    private static final int ROWS = 20_000;
    private static final int PAGE = 1_000;
    private static final Pattern ROWS_READ = Pattern.compile("(?:actual rows=|Rows Removed by Filter: )(\\d+)");

    private final TestTime time = new TestTime();
    private DatabaseServer server;

    @AfterEach
    void stop() {
        server.close();
    }

    private Purge purge(DataSource pool, Duration idle) {
        LockDatabase database = LockDatabase.of(pool, Databases.sessions(server.kind()), null, Databases.OPTIONS);
        return new Purge(database.steps(), database.statements(), database.workers(), idle, () -> time);
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String text(String query) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                lines.add(rows.getString(1));
            }
        }
        return String.join("\n", lines);
    }

    /** How the database runs the query for the first page. */
    private String plan(String query) throws SQLException {
        String table = query.contains(" FROM quarkus_lock_claim ") ? "quarkus_lock_claim" : "quarkus_lock";
        String end = text("SELECT id FROM " + table + " ORDER BY id LIMIT 1 OFFSET " + (PAGE - 1));
        String sql = query.replace("id > ?", "id > ' '").replace("id <= ?", "id <= '" + end + "'").replace("- ?", "- 1");
        return sql + "\n" + text("EXPLAIN (ANALYZE, TIMING OFF) " + sql);
    }

    private void insert(int rows, String expires) throws SQLException {
        execute("INSERT INTO quarkus_lock (id, name, format, fence, ticket, since, expires, shared_until, queue_until) "
                + "SELECT encode(sha256(n::text::bytea), 'hex'), 'name', 1, 1, 0, 0, " + expires + ", 0, 0 "
                + "FROM generate_series(1, " + rows + ") AS n");
        execute("INSERT INTO quarkus_lock_claim (id, token, kind, lock_mode, lim, ticket, since, expires, fence) "
                + "SELECT encode(sha256(('claim' || n)::bytea), 'hex'), 'token', 'W', 'X', 0, 0, 0, " + expires + ", 0 "
                + "FROM generate_series(1, " + rows + ") AS n");
        execute("ANALYZE quarkus_lock, quarkus_lock_claim");
    }

    @Test
    @Fault(535)
    void fault535_purgeStatementsNeverScanTheTable() throws Exception {
        server = Databases.prepared(PostgresServer.start(Map.of()));
        try (var pool = Databases.pool(server, server.url(), 2)) {
            List<String> queries = new CopyOnWriteArrayList<>();
            Purge purge = purge(Intercepted.statements(pool, sql -> {
                if (sql.startsWith("SELECT")) {
                    queries.add(sql);
                }
            }), Duration.ofDays(7));
            insert(ROWS, "4102444800000000"); // held until the year 2100
            assertThat(purge.purge(1)).isZero();
            for (String table : List.of("quarkus_lock", "quarkus_lock_claim")) {
                assertThat(queries.stream().filter(sql -> sql.contains(" FROM " + table + " "))).as(table)
                        .hasSizeGreaterThanOrEqualTo(2 * ROWS / PAGE);
            }
            for (String query : Set.copyOf(queries)) {
                String plan = plan(query);
                assertThat(plan).containsPattern("quarkus_lock(_claim)?_pkey").doesNotContain("Seq Scan");
                assertThat(ROWS_READ.matcher(plan).results().map(each -> Integer.valueOf(each.group(1)))).as(plan)
                        .isNotEmpty().allMatch(rows -> rows <= PAGE);
            }
        }
    }

    @Test
    @Fault(535)
    void fault535_purgeDeletesManyRows() throws Exception {
        server = Databases.prepared(PostgresServer.start(Map.of()));
        try (var pool = Databases.pool(server, server.url(), 2)) {
            int rows = 2 * PAGE + 1;
            insert(rows, "0");
            assertThat(purge(pool, Duration.ofDays(7)).purge(1)).isEqualTo(rows);
            assertThat(text("SELECT COUNT(*) FROM quarkus_lock")).isEqualTo("0");
            assertThat(text("SELECT COUNT(*) FROM quarkus_lock_claim")).isEqualTo("0");
        }
    }

    @Test
    @Fault(535)
    void fault535_repeatedPurgeFailureIsLoggedOnce() throws Exception {
        server = Databases.prepared(new H2Database());
        try (var pool = Databases.pool(server, server.url(), 2);
                var log = LogLines.warnings(Purge.class.getName())) {
            time.timers = false;
            var failing = new AtomicBoolean();
            var meanwhile = new AtomicReference<Runnable>(() -> {
            });
            Purge purge = purge(Intercepted.statements(pool, sql -> {
                if (failing.get()) {
                    meanwhile.get().run();
                    throw new SQLException("On purpose", "42000");
                }
            }), Duration.ofDays(7));
            for (int i = 1; i <= 2; i++) {
                failing.set(true);
                purge.run();
                assertThat(log.messages()).as("the database may have been unavailable for a moment").hasSize(i - 1);
                purge.run();
                purge.run();
                assertThat(log.messages()).hasSize(i).last().asString().contains("could not be deleted", "On purpose");
                failing.set(false);
                purge.run();
            }
            failing.set(true);
            purge.run();
            meanwhile.set(purge::stop);
            purge.run();
            assertThat(log.messages()).as("the pool is being closed").hasSize(2);
        }
    }
}
