package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.dialect.PostgresLockDialect;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockNames;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** Listing many names takes only short queries, however many rows are free or belong to others. */
class ManyNamesListedTest {

    private static final long YEAR_2100 = 4_102_444_800_000_000L;

    private static PostgresServer server;

    private final String namespace = "many-" + UUID.randomUUID();
    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() throws Exception {
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
        execute("TRUNCATE quarkus_lock");
    }

    @Test
    void eachPageQueryUsesPrimaryKey() throws SQLException {
        insert("held-", 1_000, YEAR_2100);
        insert("free-", 4_000, 0);
        execute("ANALYZE quarkus_lock");
        assertThat(listed("", 100)).hasSize(1_000);
        assertThat(listed("held-1", 100)).hasSize(111);
        assertThat(plan("0")).contains("Limit", "quarkus_lock_pkey").doesNotContain("Sort", "Seq Scan");
        assertThat(plan("f")).as("few are left").contains("quarkus_lock_pkey").doesNotContain("Seq Scan");
    }

    @Test
    @FullBuild
    void pageQueryReadsNoMoreThanItsPage() throws SQLException {
        insert("held-", 100_000, YEAR_2100);
        execute("ANALYZE quarkus_lock");
        assertThat(listed("", LockQuery.MAX_PAGE_SIZE)).hasSize(100_000);
        for (int digit = 0; digit < 16; digit++) {
            String plan = String.join("\n",
                    explain("(ANALYZE, BUFFERS, TIMING OFF) ", Integer.toHexString(digit), LockQuery.MAX_PAGE_SIZE));
            long buffers = Stream.of("hit", "read").mapToLong(how -> number(plan, "Buffers: .*?" + how + "=(\\d+)")).sum();
            assertThat(buffers).as(plan).isPositive().isLessThan(LockQuery.MAX_PAGE_SIZE * 5 / 4);
            assertThat(plan).doesNotContain("Sort", "Seq Scan", "temp read");
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "lock.test.idle", matches = "true", disabledReason = "-Dlock.test.idle=true runs it")
    void pageQueryIsFastWithHundredThousandNames() throws SQLException {
        insert("held-", 100_000, YEAR_2100);
        execute("ANALYZE quarkus_lock");
        for (int digit = 0; digit < 16; digit++) {
            List<String> plan = explain("(ANALYZE) ", Integer.toHexString(digit), LockQuery.MAX_PAGE_SIZE);
            assertThat(millis(plan)).as("%s", plan).isLessThanOrEqualTo(50);
        }
    }

    @Test
    void newerFormatRowIsSkippedAndLoggedOnce() throws SQLException {
        insert("held-", 20, YEAR_2100);
        execute("UPDATE quarkus_lock SET format = 2 WHERE name LIKE '%held-7'");
        try (var log = LogLines.warnings(JpaLockBackend.class.getPackageName())) {
            LockManager locks = locks();
            for (int i = 0; i < 2; i++) {
                assertThat(listed(locks, "", 100)).hasSize(19).doesNotContain("held-7");
            }
            assertThat(log.messages()).filteredOn(message -> message.contains("left out")).singleElement().asString()
                    .contains("held-7").contains("format 2");
        }
    }

    private Set<String> listed(String prefix, int pageSize) {
        return listed(locks(), prefix, pageSize);
    }

    private static Set<String> listed(LockManager locks, String prefix, int pageSize) {
        Set<String> names = new HashSet<>();
        Optional<LockQuery> query = Optional.of(LockQuery.ALL.withPrefix(prefix).withPageSize(pageSize));
        while (query.isPresent()) {
            LockQuery.Page page = locks.list(query.get());
            page.locks().forEach(lock -> names.add(lock.name()));
            query = page.next();
        }
        return names;
    }

    private LockManager locks() {
        LockEngine engine = LockEngine.builder(new JpaLockBackend(new Databases().database(server, server.url(), 8,
                closeables::push), namespace, "test")).start();
        closeables.push(engine);
        return engine.manager(ManagerDefaults.STANDARD);
    }

    private void insert(String prefix, int count, long expires) throws SQLException {
        var names = new LockNames(namespace);
        String[] ids = new String[count];
        String[] readable = new String[count];
        for (int i = 0; i < count; i++) {
            ids[i] = names.id(prefix + i);
            readable[i] = names.readable(prefix + i);
        }
        try (Connection connection = server.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO quarkus_lock (id, name, format, fence, ticket, token, owner, since, expires, shared_until, "
                                + "queue_until) SELECT u.id, u.name, 1, 7, 0, NULL, 'somebody', 0, ?, 0, 0 "
                                + "FROM unnest(?::text[], ?::text[]) AS u(id, name)")) {
            insert.setLong(1, expires);
            insert.setArray(2, connection.createArrayOf("text", ids));
            insert.setArray(3, connection.createArrayOf("text", readable));
            insert.executeUpdate();
        }
    }

    private static String plan(String after) throws SQLException {
        return String.join("\n", explain("", after, 100));
    }

    private static List<String> explain(String how, String after, int rows) throws SQLException {
        String sql = new Statements(new PostgresLockDialect(), LockRow.TABLE, LockClaimRow.TABLE).page(rows);
        List<String> plan = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet lines = statement.executeQuery("EXPLAIN " + how + sql.replace("?", "'" + after + "'"))) {
            while (lines.next()) {
                plan.add(lines.getString(1));
            }
        }
        return plan;
    }

    private static long number(String plan, String pattern) {
        var found = Pattern.compile(pattern).matcher(plan);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    private static double millis(List<String> plan) {
        return plan.stream().filter(line -> line.startsWith("Execution Time: ")).mapToDouble(
                line -> Double.parseDouble(line.replaceAll("[^0-9.]", ""))).findFirst().orElseThrow();
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
