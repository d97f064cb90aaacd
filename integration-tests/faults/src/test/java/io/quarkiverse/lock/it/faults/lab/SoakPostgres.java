package io.quarkiverse.lock.it.faults.lab;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** One PostgreSQL, whose idle rows the JVMs delete now and then. */
final class SoakPostgres implements SoakStore {

    /** The shortest possible, so that a run sees many of them; applications keep rows for a week. */
    private static final Duration PURGE_AFTER = Duration.ofMinutes(1);

    private final PostgresServer server = PostgresServer.start(Map.of("synchronous_commit", "on"));

    SoakPostgres() {
        new Schema(DatabaseStand.database(backend().arguments())).create();
    }

    @Override
    public String name() {
        return server.kind();
    }

    @Override
    public ChildBackend.Spec backend() {
        return new ChildBackend.Spec(DatabaseStand.Backend.class, List.of(server.kind(), server.url(), server.user(),
                server.password(), OPERATION.toString(), PURGE_AFTER.toString()));
    }

    /** Idle rows are deleted once per idle time, give or take half of it, and that takes a moment. */
    @Override
    public Duration memory() {
        return PURGE_AFTER.multipliedBy(5).dividedBy(2).plus(SoakWork.ABANDONED).plusSeconds(15);
    }

    @Override
    public Map<String, Long> leftovers() {
        return counts(Map.of("rows of names", "SELECT count(*) FROM quarkus_lock",
                "rows of claims", "SELECT count(*) FROM quarkus_lock_claim"));
    }

    /** Those of the JVMs, and the one that counts. */
    @Override
    public Map<String, Long> steady() {
        return counts(Map.of("connections", "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"));
    }

    @Override
    public Map<String, Long> shown() {
        return counts(Map.of("KiB of tables",
                "SELECT (pg_total_relation_size('quarkus_lock') + pg_total_relation_size('quarkus_lock_claim')) / 1024"));
    }

    private Map<String, Long> counts(Map<String, String> queries) {
        var counts = new TreeMap<String, Long>();
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            for (Map.Entry<String, String> each : queries.entrySet()) {
                try (ResultSet rows = statement.executeQuery(each.getValue())) {
                    rows.next();
                    counts.put(each.getKey(), rows.getLong(1));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return counts;
    }

    @Override
    public void close() {
        server.close();
    }
}
