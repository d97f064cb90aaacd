package io.quarkiverse.lock.jpa.notify;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.jpa.Databases;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.Locks;
import io.quarkiverse.lock.jpa.database.BoundedConnections;
import io.quarkiverse.lock.jpa.database.ConnectionSource;
import io.quarkiverse.lock.jpa.database.PgDriver;
import io.quarkiverse.lock.jpa.database.PostgresDriver;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.UnpooledConnections;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** What may arrive over the listening connection, and what may not. */
class NotificationListenerTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);

    private static PostgresServer server;

    private final Ears ears = new Ears();
    private final List<Notification> heard = new CopyOnWriteArrayList<>();
    private AgroalDataSource pool;
    private LockDatabase database;
    private LogLines log;
    private @Nullable NotificationListener impatient;

    @BeforeAll
    static void start() {
        server = Databases.prepared(PostgresServer.start(Map.of()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        log = LogLines.news(NotificationListener.class.getName());
        pool = Databases.pool(server, server.url(), 2);
        database = LockDatabase.of(pool, Databases.sessions(server.kind()), server::connect, ears, Databases.OPTIONS);
        database.attach(this);
        database.subscribers().add(heard::add);
    }

    @AfterEach
    void close() {
        if (impatient != null) {
            impatient.close();
        }
        database.detach(this);
        pool.close();
        log.close();
    }

    private void listen() {
        database.listener().start();
    }

    /** In place of the database's own, whose trial messages may take longer. */
    private NotificationListener impatient(LockDatabase of, UnpooledConnections connections) {
        return impatient(of.steps(), of.workers(), connections);
    }

    private NotificationListener impatient(Steps steps, Workers workers, UnpooledConnections connections) {
        return impatient(steps, workers, connections, Thread::new);
    }

    private NotificationListener impatient(Steps steps, Workers workers, UnpooledConnections connections,
            ThreadFactory threads) {
        impatient = new NotificationListener(steps, workers,
                new BoundedConnections(connections, Databases.OPTIONS.operationTimeout()), ears, database.subscribers(),
                threads,
                SHORT);
        impatient.start();
        return impatient;
    }

    private void awaitProof() {
        Await.until("messages arrive", SOON, () -> Databases.notified(database));
    }

    /** The driver, which can fail, be deaf to what this JVM sends to itself, and hear others all the time. */
    private static final class Ears implements PostgresDriver {

        private final PostgresDriver real = new PgDriver();
        final AtomicInteger silences = new AtomicInteger();
        volatile boolean fail;
        volatile boolean deaf;
        volatile boolean busy;

        @Override
        public @Nullable Transaction transaction(Connection connection) throws SQLException {
            return real.transaction(connection);
        }

        @Override
        public List<String> notifications(Connection connection, int patienceMillis) throws SQLException {
            if (fail) {
                throw new SQLException("On purpose");
            }
            if (deaf) {
                silences.incrementAndGet();
                return List.of();
            }
            List<String> heard = new ArrayList<>(real.notifications(connection, 100));
            if (busy) {
                heard.add("G id foreign");
            }
            return heard;
        }
    }

    @Test
    @Fault(536)
    void fault536_foreignNotificationsAreIgnored() throws Exception {
        listen();
        awaitProof();
        try (var locks = new Locks(server)) {
            for (String foreign : List.of("", " ", "L", "G id", "L id token", "A id token", "L id token x",
                    "A id token 99999999999999999999", "hello, is there anybody?")) {
                locks.execute("NOTIFY quarkus_lock, '" + foreign + "'");
            }
            locks.execute("NOTIFY quarkus_lock, 'L id token 7'");
        }
        Await.until("the last one is here", SOON, () -> heard.contains(new Notification(Notification.Kind.LOST, "token", 7)));
        assertThat(heard).extracting(Notification::kind).containsExactly(Notification.Kind.LISTENING, Notification.Kind.LOST);
        assertThat(log.messages()).isEmpty();
    }

    @Test
    @Fault(537)
    void fault537_eachListenerFailureIsLogged() {
        listen();
        for (int i = 1; i <= 2; i++) {
            awaitProof();
            ears.fail = true;
            int troubles = i;
            Await.until("it is said", SOON, () -> log.messages().size() == troubles);
            Await.until("messages no longer arrive", SOON, () -> !Databases.notified(database));
            ears.fail = false;
        }
        awaitProof();
        assertThat(log.messages()).hasSize(2).allMatch(line -> line.endsWith("On purpose"));
    }

    @Test
    @Fault(537)
    void fault537_listenerSilenceIsLoggedOnce() {
        ears.deaf = true;
        NotificationListener listener = impatient(database, server::connect);
        Await.until("it is said", SOON, () -> !log.messages().isEmpty());
        int silences = ears.silences.get();
        Await.until("several more waits are over", SOON, () -> ears.silences.get() > silences + 3);
        assertThat(log.messages()).singleElement().asString().contains("poll for now", "pooler");
        ears.deaf = false;
        Await.until("messages arrive", SOON, listener::proven);
        assertThat(log.messages()).hasSize(1);
    }

    @Test
    @Fault(537)
    void fault537_forbiddenProbeIsNotExpectedBack() throws Exception {
        forbiddenAtFirst();
    }

    /** A trial message follows however much arrives from others meanwhile. */
    @Test
    @Fault(567)
    void fault567_forbiddenProbeIsRepeatedOnABusyChannel() throws Exception {
        ears.busy = true;
        forbiddenAtFirst();
    }

    /** Those who wait meanwhile look by themselves. */
    @Test
    @Fault(567)
    void fault567_listenerWithoutAThreadStartsAtALaterCall() {
        var asked = new AtomicInteger();
        NotificationListener listener = impatient(database.steps(), database.workers(), server::connect, task -> {
            if (asked.getAndIncrement() < 2) {
                throw new OutOfMemoryError("no thread");
            }
            return new Thread(task);
        });
        listener.start();
        assertThat(asked).hasValue(2);
        listener.start();
        Await.until("messages arrive", SOON, listener::proven);
    }

    @Test
    @Fault(567)
    void fault567_probeWithoutAThreadIsRepeated() {
        var asked = new AtomicBoolean();
        var workers = new Workers(1, new Semaphore(1), task -> {
            if (asked.compareAndSet(false, true)) {
                throw new OutOfMemoryError("no thread");
            }
            return new Thread(task);
        });
        try {
            NotificationListener listener = impatient(database.steps(), workers, server::connect);
            Await.until("messages arrive", SOON, listener::proven);
            assertThat(log.messages()).singleElement().asString().endsWith("no thread");
        } finally {
            workers.close();
        }
    }

    @Test
    @Fault(567)
    void fault567_probeIsRepeatedAfterAnErrorOfTheJvm() {
        var asked = new AtomicBoolean();
        ConnectionSource real = ConnectionSource.of(pool);
        Steps steps = database.steps().on(new ConnectionSource() {

            @Override
            public Connection take(long deadline) throws SQLException {
                if (asked.compareAndSet(false, true)) {
                    throw new OutOfMemoryError("no memory");
                }
                return real.take(deadline);
            }

            @Override
            public void giveBack(Connection connection, @Nullable Throwable failure) throws SQLException {
                real.giveBack(connection, failure);
            }
        });
        NotificationListener listener = impatient(steps, database.workers(), server::connect);
        Await.until("messages arrive", SOON, listener::proven);
        assertThat(log.messages()).singleElement().asString().endsWith("no memory");
    }

    private void forbiddenAtFirst() throws Exception {
        var connections = new AtomicInteger();
        try (var locks = new Locks(server);
                AgroalDataSource limited = Databases.pool(server.kind(), server.url(), "limited", "limited", 2)) {
            locks.execute("DROP ROLE IF EXISTS limited");
            locks.execute("CREATE ROLE limited LOGIN PASSWORD 'limited'");
            locks.execute("REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC");
            LockDatabase mute = LockDatabase.of(limited, Databases.sessions(server.kind()), null, ears, Databases.OPTIONS);
            mute.attach(this);
            try {
                NotificationListener listener = impatient(mute, () -> {
                    connections.incrementAndGet();
                    return server.connect();
                });
                Await.until("it is said", SOON, () -> !log.messages().isEmpty());
                assertThat(log.messages()).singleElement().asString().contains("permission denied").doesNotContain("pooler");
                locks.execute("GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC");
                Await.until("messages arrive", SOON, listener::proven);
                assertThat(connections).as("the same connection still listens").hasValue(1);
            } finally {
                mute.detach(this);
                locks.execute("GRANT EXECUTE ON FUNCTION pg_notify(text, text) TO PUBLIC");
            }
        }
    }
}
