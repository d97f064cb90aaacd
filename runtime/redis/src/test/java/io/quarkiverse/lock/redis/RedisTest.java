package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FaultDisplayNames;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.faults.RemoteJvm;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.smallrye.mutiny.Uni;

/**
 * A server for each class, an empty store and fresh JVMs for each test. The name is {@code name}, its record {@link #store}.
 */
@DisplayNameGeneration(FaultDisplayNames.class)
abstract class RedisTest {

    static final Duration SOON = Duration.ofSeconds(10);
    /** For hundreds of holds, on a busy machine. */
    static final Duration LONG = Duration.ofSeconds(120);

    static {
        // Mutiny looks for its plug-ins at the first use, which is not safe on two threads at once
        Uni.createFrom().item(() -> true).await().indefinitely();
    }

    static RedisServer server;
    Store store;
    @AutoClose
    private final Opened opened = new Opened();

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void openStore() {
        store = opened(new Store(server));
        store.redis.command("FLUSHALL");
    }

    <T extends AutoCloseable> T opened(T closeable) {
        return opened.add(closeable);
    }

    /** A JVM that a busy machine may keep waiting. */
    Jvm jvm() {
        return opened(new Jvm(server.url(), Jvm.timeout(SOON)));
    }

    Jvm jvm(String url, RedisLockOptions options) {
        return opened(new Jvm(url, options));
    }

    /** The locks that an application has. */
    LockManager locks() {
        LockEngine engine = opened(LockEngine.builder(RedisChildBackend.make(server.host(), server.port(), "test", "somebody"))
                .start());
        return engine.manager(ManagerDefaults.STANDARD);
    }

    /** A separate JVM, over the same namespace. */
    RemoteJvm child(String owner) {
        return opened(RemoteJvm.start(new ChildBackend.Spec(RedisChildBackend.class,
                List.of(server.host(), "" + server.port(), "test")), owner));
    }

    static RuntimeException failure(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            return e;
        }
        throw new AssertionError("No failure");
    }

    void reopenStore() {
        store = opened(new Store(server));
    }

    /** Waits until the claim waits at the server, reachable by messages. */
    void awaitQueued(Jvm.Waiting waiting) {
        Await.until("the claim is queued with a channel", SOON, () -> {
            String entry = store.field("w:" + waiting.claim.token());
            return entry != null && !entry.split("\\|", -1)[3].isEmpty();
        });
    }

    void awaitFields(String... fields) {
        Await.until(() -> "only " + List.of(fields) + " are left of " + store.hash(), SOON,
                () -> store.hash().keySet().equals(java.util.Set.of(fields)));
    }
}
