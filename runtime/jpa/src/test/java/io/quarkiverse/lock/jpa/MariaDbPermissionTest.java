package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.MariaDbServer;

/** A user with only the four rights on both tables can wait, inspect and force a release. Each of the rights is needed. */
@FullBuild
@Timeout(180)
class MariaDbPermissionTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(SOON);
    private static final String USER = "limited";
    private static final List<String> TABLES = List.of("quarkus_lock", "quarkus_lock_claim");

    private static MariaDbServer server;

    @BeforeAll
    static void start() throws Exception {
        server = Databases.prepared(MariaDbServer.startWithGrants());
        execute("CREATE USER limited@localhost IDENTIFIED BY 'limited'");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void grant() throws SQLException {
        for (String table : TABLES) {
            execute("GRANT SELECT, INSERT, UPDATE, DELETE ON locks." + table + " TO limited@localhost");
        }
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = server.connect(); var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static AgroalDataSource pool() {
        return Databases.pool(server.kind(), server.url(), USER, USER, 4);
    }

    private static LockDatabase database(AgroalDataSource pool) {
        return LockDatabase.of(pool, Databases.sessions(server.kind()), null, Databases.OPTIONS);
    }

    private static LockEngine engine(AgroalDataSource pool) {
        return LockEngine.builder(new JpaLockBackend(database(pool), "permissions", "somebody")).start();
    }

    @Test
    void documentedPermissionsAreSufficient() throws Exception {
        try (AgroalDataSource pool = pool();
                AgroalDataSource another = pool();
                LockEngine one = engine(pool);
                LockEngine other = engine(another)) {
            assertThat(new Schema(database(pool)).check()).isTrue();
            LockManager a = one.manager(ManagerDefaults.STANDARD);
            LockManager b = other.manager(ManagerDefaults.STANDARD);
            LockHandle first = a.lock("name").acquire();
            CompletableFuture<LockHandle> next = b.lock("name", PATIENT).acquireAsync().subscribeAsCompletionStage();
            Await.until("it waits", SOON, () -> a.inspect("name").orElseThrow().waiters() > 0);
            first.close();
            LockHandle second = next.get(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            assertThat(a.forceRelease("name")).isTrue();
            try (LockHandle third = a.lock("name", PATIENT).acquire()) {
                assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
            }
            second.close();
        }
    }

    @Test
    void startupCheckReportsEachMissingRight() throws SQLException {
        try (AgroalDataSource pool = pool()) {
            for (String table : TABLES) {
                for (String right : List.of("SELECT", "INSERT", "UPDATE", "DELETE")) {
                    execute("REVOKE " + right + " ON locks." + table + " FROM limited@localhost");
                    assertThatThrownBy(() -> new Schema(database(pool)).check()).as(right + " on " + table)
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("Grant it SELECT, INSERT, UPDATE and DELETE on quarkus_lock")
                            .hasMessageContaining("username");
                    execute("GRANT " + right + " ON locks." + table + " TO limited@localhost");
                }
            }
            assertThat(new Schema(database(pool)).check()).isTrue();
        }
    }

    @Test
    void limitedUserCanDoNothingElse() throws SQLException {
        try (AgroalDataSource pool = pool();
                var connection = pool.getConnection();
                var statement = connection.createStatement()) {
            for (String sql : List.of("CREATE TABLE other (id INT)", "DROP TABLE quarkus_lock",
                    "ALTER TABLE quarkus_lock ADD more INT", "SELECT * FROM mysql.global_priv")) {
                assertThatThrownBy(() -> statement.execute(sql)).as(sql).isInstanceOf(SQLException.class)
                        .hasMessageContaining("command denied");
            }
        }
    }
}
