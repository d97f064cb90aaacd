package io.quarkiverse.lock.it.faults.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.random.RandomLoad;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/**
 * A PostgreSQL that repeatedly comes back with older data, with {@code after-failover=grace}: no second holder is excused. Or
 * without grace, to see that there are some then.
 */
final class PostgresGraceStand implements Stand {

    /** The longest lease plus a margin. */
    private static final Duration GRACE = LONGEST_LEASE.plusMillis(500);

    private final PostgresServer server = PostgresServer.start(Map.of("synchronous_commit", "on"));
    private final boolean grace;

    PostgresGraceStand(boolean grace) {
        this.grace = grace;
        var schema = new Schema(Backend.database(direct()));
        schema.create();
        schema.checkForLeases();
    }

    /** The backend of the JVMs: the address of PostgreSQL, and whether there is a grace period. */
    public static final class Backend implements ChildBackend {

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            return new JpaLockBackend(database(arguments), "lab", owner);
        }

        static LockDatabase database(List<String> arguments) {
            JpaLockOptions options = DatabaseStand.OPTIONS;
            return DatabaseStand.database(arguments, arguments.get(4).equals(Stand.level(true))
                    ? options.withGrace(LONGEST_LEASE)
                    : options);
        }
    }

    @Override
    public String name() {
        return "postgresql-" + Stand.level(grace);
    }

    @Override
    public StoreLink link() {
        return StoreLink.to(List.of(server.host() + ":" + server.port()));
    }

    @Override
    public ChildBackend.Spec backend(StoreLink link) {
        return new ChildBackend.Spec(Backend.class, through(link.host(), link.port()));
    }

    @Override
    public LockBackend operator() {
        return new Backend().backend("operator", direct());
    }

    private List<String> direct() {
        return through(server.host(), server.port());
    }

    private List<String> through(String host, int port) {
        return List.of(server.kind(), server.url(host, port), server.user(), server.password(), Stand.level(grace));
    }

    /** Without force: a release forced by an operator may be among the lost commits. */
    @Override
    public List<LabDeed> commonDeeds() {
        return CommonDeeds.withoutForce(CommonDeeds.withReplies(DatabaseStand.POSTGRES_LATE));
    }

    @Override
    public List<LabDeed> deeds() {
        return List.of(
                CommonDeeds.pauseOfServer(server::pause, server::resume),
                LabDeed.harmful("kill -9 and restart of the server", 1, (site, node, length, lock) -> {
                    server.restart();
                    sitOut(site);
                }),
                LabDeed.harmful("lossy restore: the disk is put back to an earlier state", 3,
                        (site, node, length, lock) -> restore(site, length, false)),
                LabDeed.harmful("lossy promotion of a replica that lags behind", 3,
                        (site, node, length, lock) -> restore(site, length, true)),
                LabDeed.harmful("TRUNCATE of the tables of the locks", 2, (site, node, length, lock) -> {
                    DatabaseStand.execute(server, "TRUNCATE quarkus_lock, quarkus_lock_claim");
                    sitOut(site);
                }),
                LabDeed.harmful(DatabaseStand.TERMINATE, 1,
                        (site, node, length, lock) -> DatabaseStand.execute(server, DatabaseStand.TERMINATE_ALL)));
    }

    private void restore(LabNemesis site, long length, boolean promoted) {
        Path earlier = server.snapshot();
        site.last(length);
        server.restore(earlier, promoted);
        sitOut(site);
    }

    /** Nothing is granted meanwhile, which is no fault. */
    private static void sitOut(LabNemesis site) {
        site.last(GRACE.toNanos());
    }

    /** The timer is the one that deletes rows which have not been used for long. */
    @Override
    public RandomLoad load() {
        return new RandomLoad(NAMES, THREADS, LONGEST_LEASE, Duration.ZERO, 1);
    }

    /** The first statement, which begins the grace period, may take a moment to come. */
    @Override
    public HistoryChecker limits() {
        HistoryChecker standard = HistoryChecker.STANDARD;
        return new HistoryChecker(standard.slack(), standard.rest(),
                GRACE.plusSeconds(2).plus(DatabaseStand.DEAD_WAITER));
    }

    @Override
    public Duration latestTakeover() {
        return Stand.super.latestTakeover().plus(DatabaseStand.DEAD_WAITER);
    }

    @Override
    public void close() {
        server.close();
    }
}
