package io.quarkiverse.lock.jpa;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.configuration.AgroalConnectionFactoryConfiguration.TransactionIsolation;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FaultDisplayNames;

/** What the guide says about clusters with writes on several nodes. Needs Galera, which not every machine has. */
@DisplayNameGeneration(FaultDisplayNames.class)
@Timeout(300)
class GaleraCheck {

    private static final int CALLS = 100;

    private static Galera galera;

    @BeforeAll
    static void start() throws Exception {
        galera = new Galera();
        Databases.withTables(galera.one);
        try (Connection connection = galera.one.connect(); Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE counted (id INT PRIMARY KEY, n INT NOT NULL)");
            statement.execute("CREATE TABLE seats (id BIGINT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL)");
            statement.execute("INSERT INTO counted VALUES (1, 0)");
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (galera != null) {
            galera.close();
        }
    }

    private static TransactionalJvm jvm(Galera.Node node, Galera.Node outside, String namespace, Duration lease) {
        return new TransactionalJvm(node.kind(), node.url(), node.user(), node.password(), namespace, 8, lease, false,
                TransactionIsolation.UNDEFINED, outside::connect);
    }

    /** Both may run; the cluster lets one of them commit. */
    @Test
    @Fault(103)
    void fault103_onlyOneOfTwoConcurrentHoldersCommits() throws Exception {
        String namespace = "galera-" + UUID.randomUUID();
        var threads = Executors.newCachedThreadPool();
        try (var one = jvm(galera.one, galera.one, namespace, Duration.ofSeconds(30));
                var other = jvm(galera.other, galera.other, namespace, Duration.ofSeconds(30))) {
            List<Future<Integer>> counting = new ArrayList<>();
            for (TransactionalJvm jvm : List.of(one, other, one, other)) {
                counting.add(threads.submit(() -> count(jvm)));
            }
            int committed = 0;
            for (Future<Integer> each : counting) {
                committed += each.get(280, TimeUnit.SECONDS);
            }
            assertThat(committed).isPositive();
            Await.until("all is on both nodes", Duration.ofSeconds(30),
                    () -> number(galera.one, "SELECT n FROM counted") == number(galera.other, "SELECT n FROM counted"));
            assertThat(number(galera.one, "SELECT n FROM counted")).isEqualTo(committed);
            assertThat(number(galera.one, "SELECT COUNT(DISTINCT n) FROM seats")).isEqualTo(committed);
            assertThat(number(galera.one, "SELECT COUNT(*) FROM seats")).isEqualTo(committed);
        } finally {
            threads.shutdownNow();
        }
    }

    /** @return how many were committed; the others were refused */
    private static int count(TransactionalJvm jvm) {
        int committed = 0;
        for (int i = 0; i < CALLS; i++) {
            try {
                jvm.locks.lock("counter").call(() -> {
                    int n = Integer.parseInt(jvm.read("SELECT COUNT(*) FROM seats"));
                    Thread.yield();
                    jvm.execute("INSERT INTO seats (n) VALUES (" + n + ")");
                    jvm.execute("UPDATE counted SET n = " + (n + 1) + " WHERE id = 1");
                    return n;
                });
                committed++;
            } catch (Exception e) {
                // the cluster accepted the other transaction
            }
        }
        return committed;
    }

    @Test
    @Fault(112)
    void fault112_checkOnOtherNodeLosesNoLock() throws Exception {
        Duration lease = Duration.ofSeconds(1);
        try (var balanced = jvm(galera.one, galera.other, "balanced", lease)) {
            inTransaction(() -> {
                LockHandle hold = balanced.locks.lock("n").acquire();
                Await.during("it is valid", lease.plusSeconds(2), hold::isValid);
                return hold;
            });
        }
    }

    private static long number(Galera.Node node, String sql) throws Exception {
        try (Connection connection = node.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
