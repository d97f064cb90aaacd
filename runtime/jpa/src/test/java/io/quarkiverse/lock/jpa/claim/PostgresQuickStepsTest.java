package io.quarkiverse.lock.jpa.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.Locks;
import io.quarkiverse.lock.jpa.claim.ContendedAcquire.Granted;
import io.quarkiverse.lock.jpa.claim.ContendedAcquire.Queued;
import io.quarkiverse.lock.jpa.claim.JpaGrant.Attempts;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.dialect.LockDialect.FencedAt;
import io.quarkiverse.lock.jpa.dialect.LockDialect.Released;
import io.quarkiverse.lock.jpa.dialect.NotifySql;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** Single-statement steps, alone and competing with steps of several statements. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PostgresQuickStepsTest {

    private static PostgresServer server;

    private Locks locks;
    private LockDatabase database;
    private QuickSteps steps;
    private UncontendedAcquire firstTry;
    private String id;
    /** Long enough for each test, since nothing here renews leases. */
    private static final long LEASE = TimeUnit.SECONDS.toNanos(60);

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(java.util.Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void begin() {
        locks = new Locks(server);
        database = LockDatabase.of(locks.pool(8), Databases.sessions(server.kind()), null, JpaLockOptions.STANDARD);
        steps = java.util.Objects.requireNonNull(database.quickSteps());
        firstTry = new UncontendedAcquire(database.steps(), database.dialect(), database.statements(), database.clock(),
                null, database.options());
        id = locks.id("quick");
    }

    @AfterEach
    void end() throws Exception {
        locks.close();
    }

    /** One claim, step by step. */
    private final class Caller {

        private final Claim claim = new Claim("quick", ThreadLocalRandom.current().nextLong(),
                ThreadLocalRandom.current().nextLong(), LockMode.EXCLUSIVE, 0, LEASE, true);
        private @Nullable Queued place;

        long ticket() {
            return place == null ? 0 : place.ticket();
        }

        @Nullable
        FencedAt tryOnce() throws SQLException {
            return database.steps().call(database.steps().deadline(),
                    connection -> firstTry.run(connection, id, () -> "quick", claim.token(),
                            "test", LEASE, new Attempts()));
        }

        @Nullable
        Queued queue() throws SQLException {
            Queued got = database.steps().call(database.steps().deadline(),
                    connection -> steps.queue(connection, id, claim, "test",
                            firstTry.guard(connection, new Attempts()), true));
            place = got == null ? place : got;
            return got;
        }

        @Nullable
        Granted take() throws SQLException {
            return database.steps().call(database.steps().deadline(),
                    connection -> steps.take(connection, id, claim, "test", ticket(),
                            firstTry.guard(connection, new Attempts())));
        }

        ContendedAcquire.Outcome contend() throws SQLException {
            ContendedAcquire.Outcome outcome = database.steps().transaction(database.steps().deadline(),
                    connection -> new ContendedAcquire(database.statements(), null, database.clock(), id, claim, "test")
                            .run(connection));
            if (outcome instanceof Queued got) {
                place = got;
            }
            return outcome;
        }

        void release() throws SQLException {
            assertThat(database.steps().<Released> call(database.steps().deadline(),
                    connection -> database.dialect().release(connection, database.statements().ofGrants, id, claim.token())))
                    .isNotEqualTo(Released.ABSENT);
        }

        void withdraw() throws SQLException {
            new ClaimRemoval(database.steps(), database.statements(), database.notifier()).remove(id, claim.token());
            place = null;
        }
    }

    private Caller holder() throws SQLException {
        var holder = new Caller();
        assertThat(holder.tryOnce()).isNotNull();
        return holder;
    }

    private Caller waiter() throws SQLException {
        var waiter = new Caller();
        assertThat(waiter.queue()).isNotNull();
        return waiter;
    }

    @Test
    void onlyTheFirstWaiterTakesItsTurn() throws Exception {
        Caller holder = holder();
        Caller first = waiter();
        Caller second = waiter();
        assertThat(second.ticket()).isGreaterThan(first.ticket());
        holder.release();
        assertThat(second.take()).as("it is not its turn").isNull();
        assertThat(first.take()).isNotNull();
        first.release();
        assertThat(second.take()).isNotNull();
    }

    @Test
    void firstWaiterNotifiesTheHolder() throws Exception {
        try (Connection listening = server.connect(); Statement statement = listening.createStatement()) {
            statement.execute("LISTEN " + NotifySql.CHANNEL);
            Caller holder = holder();
            waiter();
            waiter();
            statement.execute("NOTIFY " + NotifySql.CHANNEL + ", 'the end of " + id + "'");
            assertThat(heard(listening)).as("only by the first").containsExactly("R " + id + " " + holder.claim.token(),
                    "the end of " + id);
        }
    }

    /** The messages about this name, until the end. */
    private List<String> heard(Connection listening) throws SQLException {
        List<String> heard = new ArrayList<>();
        while (!heard.contains("the end of " + id)) {
            for (PGNotification each : listening.unwrap(PGConnection.class).getNotifications(20_000)) {
                if (each.getParameter().contains(id)) {
                    heard.add(each.getParameter());
                }
            }
        }
        return heard;
    }

    @Test
    void heldLockCannotBeTaken() throws Exception {
        Caller holder = holder();
        Caller waiter = waiter();
        assertThat(waiter.take()).isNull();
        holder.release();
        assertThat(waiter.take()).isNotNull();
        assertThat(new Caller().queue()).as("it is held again").isNotNull();
    }

    @Test
    void freeLockIsNotQueuedFor() throws Exception {
        Caller holder = holder();
        holder.release();
        assertThat(new Caller().queue()).isNull();
    }

    @Test
    void deadWaiterIsPassedOver() throws Exception {
        Caller holder = holder();
        Caller dead = waiter();
        Caller next = waiter();
        locks.execute("UPDATE quarkus_lock_claim SET expires = 1 WHERE token = '" + dead.claim.token() + "'");
        holder.release();
        assertThat(next.take()).isNotNull();
        assertThat(claims()).as("nothing is left of the dead waiter").isZero();
        assertThat(dead.take()).as("it comes back").isNull();
        assertThat(dead.contend()).isInstanceOf(Queued.class);
        next.release();
        assertThat(dead.take()).isNotNull();
    }

    @Test
    void purgedClaimGetsNoTurn() throws Exception {
        Caller holder = holder();
        Caller purged = waiter();
        locks.execute("DELETE FROM quarkus_lock_claim WHERE token = '" + purged.claim.token() + "'");
        holder.release();
        assertThat(purged.take()).isNull();
        assertThat(purged.contend()).isInstanceOf(Granted.class);
        assertThat(new Caller().queue()).isNotNull();
    }

    @Test
    void purgedRowGivesNoTurn() throws Exception {
        Caller holder = holder();
        Caller purged = waiter();
        holder.release();
        locks.execute("DELETE FROM quarkus_lock WHERE id = '" + id + "'");
        assertThat(purged.take()).isNull();
        assertThat(purged.contend()).isInstanceOf(ContendedAcquire.NoRow.class);
    }

    @Test
    void waiterDoesNotTakeOverFromReaders() throws Exception {
        Caller holder = holder();
        Caller waiter = waiter();
        holder.release();
        locks.execute("UPDATE quarkus_lock SET shared_until = fence + 60000000 WHERE id = '" + id + "'");
        assertThat(waiter.take()).isNull();
        assertThat(new Caller().queue()).as("several holders are to be notified").isNull();
    }

    /** Whatever steps the callers choose, only one of them is inside, and fences rise. */
    @Test
    void quickAndSlowCallersExcludeEachOther() throws Exception {
        int callers = 4;
        int rounds = 25;
        holder().release();
        var inside = new AtomicInteger();
        var last = new AtomicLong();
        var most = new AtomicInteger();
        var quick = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        List<Future<?>> running = new ArrayList<>();
        try {
            for (int i = 0; i < callers; i++) {
                long seed = ThreadLocalRandom.current().nextLong();
                running.add(threads.submit(() -> {
                    var random = new Random(seed);
                    for (int round = 0; round < rounds; round++) {
                        var caller = new Caller();
                        long fence = granted(caller, random, quick);
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        assertThat(fence).as("seed %d, round %d", seed, round).isGreaterThan(last.getAndSet(fence));
                        LockSupport.parkNanos(random.nextInt(2_000_000));
                        inside.decrementAndGet();
                        caller.release();
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get(100, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(most).hasValue(1);
        assertThat(quick).as("turns that were taken in one statement").hasPositiveValue();
        assertThat(claims()).isZero();
    }

    private long granted(Caller caller, Random random, AtomicInteger quick) throws SQLException {
        while (true) {
            boolean alone = random.nextBoolean();
            if (caller.place == null && alone) {
                FencedAt first = caller.tryOnce();
                if (first != null) {
                    return first.fence();
                }
                caller.queue();
            } else if (alone) {
                Granted taken = caller.take();
                if (taken != null) {
                    quick.incrementAndGet();
                    return taken.fence();
                }
            } else if (caller.contend() instanceof Granted granted) {
                return granted.fence();
            }
            if (caller.place != null) {
                switch (random.nextInt(20)) {
                    case 0 -> caller.withdraw();
                    case 1 -> locks.execute("DELETE FROM quarkus_lock_claim WHERE token = '" + caller.claim.token() + "'");
                    case 2 -> locks.execute("UPDATE quarkus_lock_claim SET expires = 1 WHERE token = '"
                            + caller.claim.token() + "'");
                    default -> LockSupport.parkNanos(random.nextInt(1_000_000));
                }
            }
        }
    }

    private long claims() throws SQLException {
        return locks.number("SELECT COUNT(*) FROM quarkus_lock_claim WHERE id = '" + id + "'");
    }
}
