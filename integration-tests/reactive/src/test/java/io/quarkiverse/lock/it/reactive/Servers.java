package io.quarkiverse.lock.it.reactive;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

import io.quarkiverse.lock.it.ServerAddress;
import io.quarkiverse.lock.testkit.server.PostgresServer;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** The accounts are in a PostgreSQL, their locks in a Redis. */
public class Servers implements QuarkusTestResourceLifecycleManager {

    /** Checks at commit what a transaction has written, and waits there as long as the test wants. */
    private static final String SCHEMA = """
            create table account (id varchar(100) primary key, balance bigint not null);
            create function at_commit() returns trigger language plpgsql as $$
            begin
              perform pg_advisory_xact_lock_shared(hashtext(new.id));
              if new.balance < 0 then
                raise exception 'overdrawn';
              end if;
              return null;
            end $$;
            create constraint trigger at_commit after update on account deferrable initially deferred
              for each row execute function at_commit();
            """;

    private PostgresServer database;
    private RedisServer redis;

    @Override
    public Map<String, String> start() {
        database = PostgresServer.start(Map.of());
        redis = RedisServer.start();
        try (Connection connection = database.connect(); Statement statement = connection.createStatement()) {
            statement.execute(SCHEMA);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return Map.of("quarkus.redis.hosts", redis.url(),
                "quarkus.datasource.reactive.url",
                "postgresql://" + database.host() + ":" + database.port() + "/postgres",
                "quarkus.datasource.username", database.user(),
                "quarkus.datasource.password", database.password());
    }

    /** With user and password. */
    String databaseUrl() {
        return database.url() + "?user=" + database.user() + "&password=" + database.password();
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(databaseUrl(),
                new TestInjector.AnnotatedAndMatchesType(ServerAddress.class, String.class));
    }

    @Override
    public void stop() {
        if (redis != null) {
            redis.close();
        }
        if (database != null) {
            database.close();
        }
    }
}
