package io.quarkiverse.lock.it.faults.lab;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.pessimistic.JtaLockTransactions;
import io.quarkiverse.lock.jpa.pessimistic.PessimisticLockBackend;
import io.quarkiverse.lock.testkit.process.ChildMain;

/**
 * A JVM whose threads lock names in transactions, in which they give out seats: each seat is one more than the last that the
 * holder sees. Only the lock keeps two of them from giving out the same seat.
 */
public final class TransactionsChild implements ChildMain {

    private static final TransactionManager TRANSACTIONS = com.arjuna.ats.jta.TransactionManager.transactionManager();
    private static final List<Duration> WAITS = List.of(Duration.ZERO, Duration.ofMillis(300), Duration.ofSeconds(2),
            Duration.ofSeconds(4));
    private static final int TRANSACTION_SECONDS = 20;
    private static final long AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(20);

    private final Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private AgroalDataSource pool;
    private LockEngine engine;
    private LockManager locks;
    private volatile boolean stopped;

    /** Kind, URL, user, password, isolation, seed. */
    @Override
    public void start(String[] arguments, Child child) throws Exception {
        String url = arguments[1];
        String user = arguments[2];
        String password = arguments[3];
        var registry = new TransactionSynchronizationRegistryImple();
        var isolation = TransactionIsolation.valueOf(arguments[4]);
        pool = DatabaseStand.pool(url, user, password, DatabaseStand.sorter(arguments[0]),
                new NarayanaTransactionIntegration(TRANSACTIONS, registry), isolation, Stand.THREADS + 2);
        var sessions = DatabaseStand.sessions(arguments[0]);
        var backend = new PessimisticLockBackend(DatabaseStand.database(pool, sessions, url, user, password), sessions,
                new JtaLockTransactions(TRANSACTIONS, registry), "lab", arguments[0]);
        engine = LockEngine.builder(backend).start();
        locks = engine.manager(ManagerDefaults.STANDARD);
        for (int i = 0; i < Stand.THREADS; i++) {
            var random = new java.util.Random(Long.parseLong(arguments[5]) * 31 + i);
            var thread = new Thread(() -> work(random), "holder-" + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
    }

    @Override
    public String handle(String request, Child child) throws Exception {
        if (request.equals("stop")) {
            stopped = true;
            for (Thread each : threads) {
                each.join(TimeUnit.SECONDS.toMillis(60));
            }
            return engine.held().isEmpty() && threads.stream().noneMatch(Thread::isAlive) ? "" : "holds " + engine.held();
        }
        return new TreeMap<>(outcomes).entrySet().stream().map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(";"));
    }

    private void work(RandomGenerator random) {
        while (!stopped) {
            String outcome;
            try {
                outcome = once(random);
            } catch (Throwable e) {
                outcome = why(e);
                LockSupport.parkNanos(AFTER_FAILURE);
            }
            outcomes.computeIfAbsent(outcome, each -> new LongAdder()).increment();
        }
    }

    private String once(RandomGenerator random) throws Exception {
        String name = Stand.NAMES.get(Math.min(random.nextInt(Stand.NAMES.size()), random.nextInt(Stand.NAMES.size())));
        Duration wait = WAITS.get(random.nextInt(WAITS.size()));
        int before = random.nextInt(6);
        boolean rollback = random.nextInt(10) == 0;
        long think = TimeUnit.MILLISECONDS.toNanos(random.nextInt(15));
        TRANSACTIONS.setTransactionTimeout(TRANSACTION_SECONDS);
        TRANSACTIONS.begin();
        try (Connection connection = before < 2 ? pool.getConnection() : null) {
            if (before == 0) {
                number(connection, "SELECT COUNT(*) FROM lab_seat WHERE name = ?", name);
            } else if (before == 1) {
                update(connection, "INSERT INTO lab_note (name) VALUES (?)", name);
            }
            Optional<LockHandle> hold = locks.lock(name).tryAcquire(wait);
            if (hold.isEmpty()) {
                return "busy";
            }
            long began = System.nanoTime();
            String outcome = giveOutASeat(name, hold.get(), began, think);
            if (rollback) {
                hold.get().close();
                return "rolled back by the caller";
            }
            TRANSACTIONS.commit();
            return outcome;
        } finally {
            if (TRANSACTIONS.getStatus() != Status.STATUS_NO_TRANSACTION) {
                TRANSACTIONS.rollback();
            }
        }
    }

    private String giveOutASeat(String name, LockHandle hold, long began, long think) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            long seats = number(connection, "SELECT COALESCE(MAX(n), 0) FROM lab_seat WHERE name = ?", name);
            long counted = number(connection, "SELECT n FROM lab_count WHERE name = ?", name);
            LockSupport.parkNanos(think);
            update(connection, "INSERT INTO lab_seat (name, n, token, began, ended) VALUES (?, ?, ?, ?, ?)", name, seats + 1,
                    hold.fencingToken(), began, System.nanoTime());
            update(connection, "UPDATE lab_count SET n = ? WHERE name = ?", counted + 1, name);
            return "committed";
        }
    }

    /** Why it was not committed. */
    private static String why(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String said = String.valueOf(each.getMessage());
            if (each instanceof LockBackendException) {
                return said.contains("wait for each other") ? "refused: deadlock"
                        : said.contains("before others held the lock") ? "refused: older than the lock"
                                : said.contains("begun to read") ? "refused: older than the lock's row"
                                        : "failed: the database was not to be reached";
            }
            if (each instanceof SQLException sql && String.valueOf(sql.getSQLState()).startsWith("40")) {
                return "refused while it worked or committed: "
                        + (sql.getErrorCode() == 1213 || "40P01".equals(sql.getSQLState())
                                ? "deadlock"
                                : "serialization");
            }
        }
        return "failed: its connection or its commit";
    }

    private static long number(Connection connection, String sql, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private static void update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.executeUpdate();
        }
    }
}
