package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.zookeeper.query.Listing;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** A JVM reads its lists one after the other, and each of them ends. */
class ListThreadTest extends ZooKeeperTest {

    private static final Duration NEVER = Duration.ofHours(1);

    private final List<ZooKeeper> clients = new CopyOnWriteArrayList<>();
    private final AtomicInteger together = new AtomicInteger();

    @Test
    void listsAreReadOneAtATime() {
        LockManager locks = locks();
        List<CompletableFuture<LockQuery.Page>> lists = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            lists.add(locks.listAsync(LockQuery.ALL).subscribeAsCompletionStage());
        }
        lists.forEach(Jvm::get);
        assertThat(clients).hasSize(10);
        assertThat(together).hasValue(0);
    }

    @Test
    void pageCallbackMayWaitForTheNextPage() {
        LockManager locks = locks();
        LockQuery.Page page = Jvm.get(locks.listAsync(LockQuery.ALL).map(first -> locks.list(LockQuery.ALL))
                .subscribeAsCompletionStage());
        assertThat(page.locks()).isEmpty();
    }

    /** All workers of the application may be waiting for locks, which is when somebody wants to see the holders. */
    @Test
    @Fault(373)
    void fault373_listNeedsNoApplicationThread() throws Exception {
        Executor workers = Infrastructure.getDefaultExecutor();
        LockManager locks = locks();
        Infrastructure.setDefaultExecutor(task -> {
            // all of them are busy
        }, false);
        try {
            CompletableFuture<LockQuery.Page> list = locks.listAsync(LockQuery.ALL).subscribeAsCompletionStage();
            assertThat(list.get(SOON.toSeconds(), TimeUnit.SECONDS).locks()).isEmpty();
        } finally {
            Infrastructure.setDefaultExecutor(workers, false);
        }
    }

    @Test
    void pendingListsFailOnShutdown() throws Exception {
        FaultProxy proxy = proxy();
        Jvm jvm = opened(new Jvm(opened(Clients.started(proxy.host() + ":" + proxy.port(), LONG_SESSION)),
                options().withOperationTimeout(NEVER), () -> {
                }));
        Jvm.get(jvm.backend.list(LockQuery.ALL).subscribeAsCompletionStage());
        proxy.blackhole();
        Uni<LockQuery.Page> late = jvm.backend.list(LockQuery.ALL);
        List<CompletableFuture<LockQuery.Page>> lists = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            lists.add(jvm.backend.list(LockQuery.ALL).subscribeAsCompletionStage());
        }
        jvm.backend.close();
        lists.add(late.subscribeAsCompletionStage());
        for (CompletableFuture<LockQuery.Page> list : lists) {
            assertThatThrownBy(() -> list.get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockBackendException.class).hasMessageContaining("shutting down");
        }
        proxy.pass();
        proxy.cut(); // clients are closed through it
    }

    @Test
    @Fault(324)
    void fault324_listFailsWhenItsClientThrowsAnError() {
        var failing = new AtomicBoolean(true);
        LockManager locks = locks(client -> {
            if (failing.get()) {
                throw new OutOfMemoryError("no thread, on purpose");
            }
        });
        assertThatThrownBy(() -> locks.listAsync(LockQuery.ALL).subscribeAsCompletionStage().get(SOON.toSeconds() * 2,
                TimeUnit.SECONDS)).hasCauseInstanceOf(LockBackendException.class).hasMessageContaining("no thread, on purpose");
        failing.set(false);
        assertThat(locks.list(LockQuery.ALL).locks()).as("afterwards").isEmpty();
    }

    @Test
    @Fault(333)
    void fault333_listFailsWhenItCannotLogIn() {
        LockManager locks = locks(client -> {
            throw new IllegalStateException("nobody to ask, on purpose");
        });
        assertThatThrownBy(() -> locks.list(LockQuery.ALL)).isInstanceOf(LockBackendException.class)
                .hasMessageContaining("nobody to ask, on purpose");
    }

    private LockManager locks() {
        return locks(this::login);
    }

    private LockManager locks(Consumer<ZooKeeper> login) {
        LockEngine engine = opened(LockEngine.builder(new ZooKeeperLockBackend(client(LONG_SESSION),
                options().withOperationTimeout(SOON), "somebody", () -> {
                }, login, Listing.MOST_NAMES)).start());
        return engine.manager(ManagerDefaults.STANDARD);
    }

    private void login(ZooKeeper client) {
        if (clients.stream().anyMatch(each -> each.getState().isAlive())) {
            together.incrementAndGet();
        }
        clients.add(client);
    }
}
