package io.quarkiverse.lock.it.faults.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.Schema;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.smallrye.mutiny.Uni;

/** Where PgBouncer is installed: no Maven artifact brings it. */
@EnabledIf("isInstalled")
class PgBouncerIT {

    private static final String NAME = "stock-7";
    private static final int CALLERS = 4;
    private static final int EACH = 8;

    private int count;

    static boolean isInstalled() {
        return PgBouncer.isThere();
    }

    @Fault(59)
    @ParameterizedTest(name = "listen={0}")
    @ValueSource(booleans = { false, true })
    void fault59_leasesWorkThroughTransactionPooling(boolean listen) throws Exception {
        Uni.createFrom().item(() -> 1).await().indefinitely(); // the first use of Mutiny must not be several at once
        try (PostgresServer server = PostgresServer.start(Map.of()); var pooler = new PgBouncer(server)) {
            List<String> where = List.of(server.kind(), pooler.url(), server.user(), server.password(), "PT10S", "PT1H",
                    Boolean.toString(listen));
            new Schema(DatabaseStand.database(where)).create();
            try (LockEngine one = engine("one", where); LockEngine other = engine("other", where)) {
                LockManager first = one.manager(ManagerDefaults.STANDARD);
                LockManager second = other.manager(ManagerDefaults.STANDARD);
                isRenewedAndHandedOver(first, second);
                countsRight(first, second);
                assertThat(connections(server)).as("server connections").isPositive()
                        .isLessThanOrEqualTo(PgBouncer.SERVER_CONNECTIONS);
            }
        }
    }

    private static LockEngine engine(String owner, List<String> where) {
        return LockEngine.builder(new DatabaseStand.Backend().backend(owner, where)).start();
    }

    private static void isRenewedAndHandedOver(LockManager first, LockManager second) throws Exception {
        LockHandle hold = first.lock(NAME, LockOptions.DEFAULTS.withLease(Duration.ofSeconds(4))).acquire();
        Await.during("it is renewed", Duration.ofSeconds(5), hold::isValid);
        assertThat(second.lock(NAME).tryAcquire(Duration.ZERO)).isEmpty();
        CompletableFuture<LockHandle> next = second.lock(NAME).acquireAsync().subscribeAsCompletionStage();
        Await.until("the other one waits", Duration.ofSeconds(20),
                () -> first.inspect(NAME).orElseThrow().waiters() == 1);
        hold.close();
        try (LockHandle its = next.get(20, TimeUnit.SECONDS)) {
            assertThat(its.fencingToken()).isGreaterThan(hold.fencingToken());
        }
    }

    /** More callers than there are server connections, each of which wants a transaction now and then. */
    private void countsRight(LockManager... managers) throws Exception {
        var callers = new ArrayList<CompletableFuture<Void>>();
        for (LockManager each : managers) {
            for (int i = 0; i < CALLERS; i++) {
                String own = "own-" + callers.size();
                callers.add(CompletableFuture.runAsync(() -> {
                    for (int n = 0; n < EACH; n++) {
                        each.lock(own).acquire().close();
                        each.lock(NAME, LockOptions.DEFAULTS.withWaitFor(Duration.ofMinutes(1))).run(() -> count++);
                    }
                }, task -> new Thread(task).start()));
            }
        }
        CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
        assertThat(count).isEqualTo(callers.size() * EACH);
    }

    private static int connections(PostgresServer server) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM pg_stat_activity "
                        + "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
