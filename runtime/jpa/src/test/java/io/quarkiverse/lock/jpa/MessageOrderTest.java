package io.quarkiverse.lock.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.jpa.dialect.NotifySql;
import io.quarkiverse.lock.jpa.notify.Notification;
import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.server.DatabaseServer;
import io.quarkiverse.lock.testkit.server.H2Database;
import io.quarkiverse.lock.testkit.server.PostgresServer;

/** Messages and answers use different connections, so a message may overtake the answer with the grant it is about. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MessageOrderTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final Told told = new Told();
    private DatabaseServer server;
    private volatile boolean slow;
    private final CountDownLatch committed = new CountDownLatch(1);
    private final CountDownLatch mayAnswer = new CountDownLatch(1);

    @AfterEach
    void close() throws Exception {
        mayAnswer.countDown();
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
    }

    /** Records what the engine hears. */
    private static final class Told implements BackendListener {

        final Map<Grant, Boolean> waiters = new ConcurrentHashMap<>();
        final Map<Grant, String> lost = new ConcurrentHashMap<>();

        @Override
        public void waiters(Grant grant, boolean some) {
            waiters.put(grant, some);
        }

        @Override
        public void lost(Grant grant, String reason) {
            lost.put(grant, reason);
        }

        @Override
        public void suspect(Grant grant) {
        }

        @Override
        public void releaseRequested(Grant grant) {
        }

        @Override
        public void recheck() {
        }
    }

    private <T extends AutoCloseable> T closed(T resource) {
        closeables.push(resource);
        return resource;
    }

    private JpaLockBackend started(LockDatabase database) {
        var backend = new JpaLockBackend(database, "order", "test");
        backend.start(told, new SystemTime());
        closeables.push(backend::close);
        return backend;
    }

    /** On H2, where the name already has a row. */
    private JpaLockBackend onH2() throws Exception {
        server = Databases.prepared(closed(new H2Database()));
        DataSource pool = closed(Databases.pool(server, server.url(), 2));
        JpaLockBackend backend = started(LockDatabase.of(slowToAnswer(DataSource.class, pool), Databases.sessions("h2"), null,
                Databases.OPTIONS));
        Grant first = (Grant) get(backend.acquire(claim(LockMode.SHARED)).subscribeAsCompletionStage());
        get(backend.release(first).subscribeAsCompletionStage());
        return backend;
    }

    /** The commit takes effect at once, but the answer is slow. */
    private <T> T slowToAnswer(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
            try {
                Object result = method.invoke(real, arguments);
                if (slow && method.getName().equals("commit")) {
                    committed.countDown();
                    mayAnswer.await();
                }
                return method.getName().equals("getConnection") ? slowToAnswer(Connection.class, (Connection) result) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private static Claim claim(LockMode mode) {
        var random = ThreadLocalRandom.current();
        return new Claim("name", random.nextLong(), random.nextLong(), mode, 0, SOON.toNanos(), true);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    @Fault(117)
    void fault117_waiterNewsBeforeGrantReplyIsNotLost() throws Exception {
        JpaLockBackend backend = onH2();
        Claim claim = claim(LockMode.SHARED);
        CompletableFuture<Answer> answer = granted(backend, claim);
        backend.database().subscribers().deliver(new Notification(Notification.Kind.WAITED, claim.token(), 0));
        mayAnswer.countDown();
        Grant grant = (Grant) get(answer);
        Await.until("it is told", SOON, () -> Boolean.TRUE.equals(told.waiters.get(grant)));
    }

    /** Nobody waited at the time of the grant, so the waiter is more recent. The engine ignores grants it does not know yet. */
    @Test
    @Fault(117)
    void fault117_waiterNewsDuringGrantHandOutIsNotLost() throws Exception {
        JpaLockBackend backend = onH2();
        Claim claim = claim(LockMode.SHARED);
        Grant grant = (Grant) get(backend.acquire(claim).invoke(() -> {
            backend.database().subscribers().deliver(new Notification(Notification.Kind.WAITED, claim.token(), 0));
            told.waiters.clear();
        }).subscribeAsCompletionStage());
        Await.until("it is told", SOON, () -> told.waiters.containsKey(grant));
        assertThat(told.waiters).containsEntry(grant, true);
    }

    @Test
    @Fault(108)
    void fault108_forcedReleaseNewsBeforeGrantReplyIsNotLost() throws Exception {
        JpaLockBackend backend = onH2();
        Claim claim = claim(LockMode.SHARED);
        CompletableFuture<Answer> answer = granted(backend, claim);
        long fence = fence();
        backend.database().subscribers().deliver(new Notification(Notification.Kind.LOST, claim.token(), fence));
        mayAnswer.countDown();
        Grant grant = (Grant) get(answer);
        assertThat(grant.fence()).isEqualTo(fence);
        Await.until("it is told", SOON, () -> told.lost.containsKey(grant));
    }

    @Test
    @Fault(108)
    void fault108_forcedReleaseNewsDuringGrantHandOutIsNotLost() throws Exception {
        JpaLockBackend backend = onH2();
        Claim claim = claim(LockMode.SHARED);
        Grant grant = (Grant) get(backend.acquire(claim).invoke(answer -> {
            backend.database().subscribers()
                    .deliver(new Notification(Notification.Kind.LOST, claim.token(), ((Grant) answer).fence()));
            told.lost.clear();
        }).subscribeAsCompletionStage());
        Await.until("it is told", SOON, () -> told.lost.containsKey(grant));
    }

    /** The claim was requested again under the same token, and granted again. */
    @Test
    @Fault(108)
    void fault108_forcedReleaseNewsOfEarlierGrantIsIgnored() throws Exception {
        JpaLockBackend backend = onH2();
        Claim claim = claim(LockMode.SHARED);
        CompletableFuture<Answer> answer = granted(backend, claim);
        backend.database().subscribers().deliver(new Notification(Notification.Kind.LOST, claim.token(), fence() - 1));
        mayAnswer.countDown();
        get(answer);
        backend.close(); // so every step has ended
        assertThat(told.lost).isEmpty();
    }

    /** The database has granted it, and the answer is on its way. */
    private CompletableFuture<Answer> granted(JpaLockBackend backend, Claim claim) throws InterruptedException {
        slow = true;
        CompletableFuture<Answer> answer = backend.acquire(claim).subscribeAsCompletionStage();
        committed.await();
        return answer;
    }

    private long fence() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SELECT fence FROM quarkus_lock")) {
            row.next();
            return row.getLong(1);
        }
    }

    /** The messages about these waiters were sent before this JVM listened. */
    @Test
    @Fault(117)
    void fault117_waiterQueuedBeforeListeningIsAssumed() throws Exception {
        server = Databases.prepared(closed(PostgresServer.start(Map.of())));
        LockDatabase database = new Databases().database(server, server.url(), 4, closeables::push);
        JpaLockBackend backend = started(database);
        Grant before = (Grant) get(backend.acquire(claim(LockMode.EXCLUSIVE)).subscribeAsCompletionStage());
        backend.contended(before);
        Await.until("messages arrive", SOON, backend::tellsOfWaiters);
        assertThat(told.waiters).containsEntry(before, true);
        get(backend.release(before).subscribeAsCompletionStage());
        Grant after = (Grant) get(backend.acquire(claim(LockMode.EXCLUSIVE)).subscribeAsCompletionStage());
        try (Connection connection = server.connect(); Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_notify('" + NotifySql.CHANNEL + "', 'R id " + after.claim().token() + "')");
        }
        Await.until("it is told", SOON, () -> told.waiters.containsKey(after));
    }
}
