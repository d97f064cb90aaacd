package io.quarkiverse.lock.zookeeper;

import static io.quarkiverse.lock.testkit.KeptOut.assertKeptOut;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;

import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;

/** Curator's recipes in one JVM and our locks in another, on one path. */
class MixedFleetTest extends ZooKeeperTest {

    private static final LockOptions SHARED = LockOptions.DEFAULTS.withMode(LockMode.SHARED);

    private LockManager ours(LockNodes nodes) {
        return locks(client(LONG_SESSION), options().withNodes(nodes));
    }

    private InterProcessLock recipe(LockNodes nodes, String path) {
        var client = client(LONG_SESSION);
        return nodes == LockNodes.MUTEX ? new InterProcessMutex(client, path)
                : new InterProcessReadWriteLock(client, path).writeLock();
    }

    @ParameterizedTest
    @EnumSource
    void ourLockKeepsTheRecipeOut(LockNodes nodes) throws Exception {
        LockManager ours = ours(nodes);
        InterProcessLock recipe = recipe(nodes, root + "/order-42");
        try (LockHandle hold = ours.lock("order-42").acquire()) {
            assertThat(recipe.acquire(200, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(hold.isValid()).isTrue();
        }
        assertThat(recipe.acquire(20, TimeUnit.SECONDS)).isTrue();
        recipe.release();
    }

    @ParameterizedTest
    @EnumSource
    void recipeKeepsOurLockOut(LockNodes nodes) throws Exception {
        LockManager ours = ours(nodes);
        InterProcessLock recipe = recipe(nodes, root + "/order-42");
        recipe.acquire();
        assertThat(ours.lock("order-42").tryAcquire(Duration.ZERO)).isEmpty();
        assertKeptOut(ours.lock("order-42"), Duration.ofMillis(200));
        assertThat(ours.inspect("order-42").orElseThrow().holders()).hasSize(1);
        recipe.release();
        try (LockHandle hold = ours.lock("order-42").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void firstComeFirstServed(LockNodes nodes) throws Exception {
        List<Integer> order = new CopyOnWriteArrayList<>();
        LockHandle first = ours(nodes).lock("order-42").acquire();
        CompletableFuture<?>[] all = new CompletableFuture[6];
        for (int i = 0; i < all.length; i++) {
            int me = i;
            LockManager ours = ours(nodes);
            InterProcessLock recipe = recipe(nodes, root + "/order-42");
            all[i] = CompletableFuture.runAsync(() -> {
                if (me % 2 == 0) {
                    try {
                        recipe.acquire();
                        order.add(me);
                        recipe.release();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                } else {
                    try (LockHandle hold = ours.lock("order-42").acquire()) {
                        order.add(me);
                    }
                }
            }, threads);
            awaitNodes("order-42", i + 2);
        }
        first.close();
        CompletableFuture.allOf(all).get(30, TimeUnit.SECONDS);
        assertThat(order).containsExactly(0, 1, 2, 3, 4, 5);
        awaitNodes("order-42", 0);
    }

    @ParameterizedTest
    @EnumSource
    void lockedCounterIsExact(LockNodes nodes) throws Exception {
        int[] counter = new int[1];
        CompletableFuture<?>[] all = new CompletableFuture[4];
        for (int i = 0; i < all.length; i++) {
            boolean curator = i % 2 == 0;
            LockManager ours = ours(nodes);
            InterProcessLock recipe = recipe(nodes, root + "/counter");
            all[i] = CompletableFuture.runAsync(() -> {
                for (int n = 0; n < 25; n++) {
                    if (curator) {
                        try {
                            recipe.acquire();
                            increment(counter);
                            recipe.release();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    } else {
                        try (LockHandle hold = ours.lock("counter").acquire()) {
                            increment(counter);
                        }
                    }
                }
            }, threads);
        }
        CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
        assertThat(counter[0]).isEqualTo(100);
    }

    private static void increment(int[] counter) {
        int seen = counter[0];
        Thread.yield();
        counter[0] = seen + 1;
    }

    @Test
    void nameIsEncodedInTheRecipesPath() throws Exception {
        LockManager ours = ours(LockNodes.MUTEX);
        InterProcessLock recipe = recipe(LockNodes.MUTEX, root + "/a%2Fb");
        recipe.acquire();
        assertThat(ours.lock("a/b").tryAcquire(Duration.ZERO)).isEmpty();
        recipe.release();
    }

    @Test
    void readersAdmitRecipeReadersAndBlockRecipeWriters() throws Exception {
        Jvm jvm = jvm();
        var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + "/catalog");
        recipe.readLock().acquire();
        ZooKeeperGrant shared = jvm.claim("catalog", LockMode.SHARED, false).grant();
        recipe.readLock().release();
        assertThat(recipe.writeLock().acquire(200, TimeUnit.MILLISECONDS)).isFalse();
        jvm.release(shared);
        assertThat(recipe.writeLock().acquire(20, TimeUnit.SECONDS)).isTrue();
        var waiting = jvm.claim("catalog", LockMode.SHARED, true);
        awaitNodes("catalog", 2);
        assertThat(waiting.answer).isNotDone();
        recipe.writeLock().release();
        jvm.release(waiting.grant());
    }

    @Test
    void readersOfBothKindsShareButDoNotOvertakeAWriter() throws Exception {
        DistributedLock reading = ours(LockNodes.READ_WRITE).lock("catalog", SHARED);
        var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + "/catalog");
        LockHandle reader = reading.acquire();
        assertThat(recipe.readLock().acquire(20, TimeUnit.SECONDS)).isTrue();
        var writing = new InterProcessReadWriteLock(client(LONG_SESSION), root + "/catalog").writeLock();
        var written = CompletableFuture.supplyAsync(() -> {
            try {
                writing.acquire();
                writing.release();
                return System.nanoTime();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, threads);
        awaitNodes("catalog", 3);
        Await.until("readers in the same JVM are kept out by the recipe's writer", SOON, () -> {
            var more = reading.tryAcquire(Duration.ZERO);
            more.ifPresent(LockHandle::close);
            return more.isEmpty();
        });
        recipe.readLock().release();
        assertThat(written).isNotDone();
        assertThat(reader.isValid()).isTrue();
        reader.close();
        written.get(20, TimeUnit.SECONDS);
        reading.acquire().close();
        awaitNodes("catalog", 0);
    }

    @Test
    void readersAndWritersOfBothKindsExcludeEachOther() throws Exception {
        var readers = new AtomicInteger();
        var writers = new AtomicInteger();
        CompletableFuture<?>[] all = new CompletableFuture[6];
        for (int i = 0; i < all.length; i++) {
            int me = i;
            LockManager ours = ours(LockNodes.READ_WRITE);
            var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + "/catalog");
            all[i] = CompletableFuture.runAsync(() -> {
                for (int n = 0; n < 20; n++) {
                    boolean writes = (n + me) % 3 == 0;
                    if (me % 2 == 0) {
                        InterProcessLock lock = writes ? recipe.writeLock() : recipe.readLock();
                        try {
                            lock.acquire();
                            meet(writes, readers, writers);
                            lock.release();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    } else {
                        try (LockHandle hold = (writes ? ours.lock("catalog") : ours.lock("catalog", SHARED)).acquire()) {
                            meet(writes, readers, writers);
                        }
                    }
                }
            }, threads);
        }
        CompletableFuture.allOf(all).get(60, TimeUnit.SECONDS);
        awaitNodes("catalog", 0);
    }

    private static void meet(boolean writes, AtomicInteger readers, AtomicInteger writers) {
        (writes ? writers : readers).incrementAndGet();
        Thread.yield();
        assertThat(writers.get()).isLessThanOrEqualTo(1);
        assertThat(writers.get() > 0 && readers.get() > 0).as("a writer and a reader").isFalse();
        (writes ? writers : readers).decrementAndGet();
    }

    @Test
    void recipeDowngradeAdmitsOnlyOurReaders() throws Exception {
        LockManager ours = ours(LockNodes.READ_WRITE);
        DistributedLock writing = ours(LockNodes.READ_WRITE).lock("catalog");
        var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + "/catalog");
        recipe.writeLock().acquire();
        recipe.readLock().acquire();
        assertThat(nodes("catalog")).as("with one number").hasSize(2)
                .allMatch(node -> node.endsWith(nodes("catalog").get(0).substring(node.length() - 10)));
        var reading = ours.lock("catalog", SHARED).acquireAsync().subscribeAsCompletionStage();
        awaitNodes("catalog", 3);
        assertThat(writing.tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(reading).isNotDone();
        recipe.writeLock().release();
        LockHandle reader = Jvm.get(reading);
        assertKeptOut(writing, Duration.ofMillis(200));
        reader.close();
        assertKeptOut(writing, Duration.ofMillis(200), "the recipe still reads");
        recipe.readLock().release();
        writing.acquire().close();
        awaitNodes("catalog", 0);
    }

    /** Ours is a nested call without its own node. */
    @Test
    void ourDowngradeBlocksTheRecipeUntilBothAreReleased() throws Exception {
        ReadWriteLock ours = ours(LockNodes.READ_WRITE).lock("catalog").asReadWriteLock();
        var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + "/catalog");
        ours.writeLock().lock();
        ours.readLock().lock();
        ours.writeLock().unlock();
        assertThat(nodes("catalog")).hasSize(1);
        assertThat(recipe.readLock().acquire(200, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(recipe.writeLock().acquire(200, TimeUnit.MILLISECONDS)).isFalse();
        ours.readLock().unlock();
        assertThat(recipe.readLock().acquire(20, TimeUnit.SECONDS)).isTrue();
        recipe.readLock().release();
    }

    @Test
    void recipeSemaphoreAndLimitDoNotMix() throws Exception {
        DistributedLock counted = ours(LockNodes.READ_WRITE).lock("export", LockOptions.DEFAULTS.withLimit(2));
        LockHandle first = counted.acquire();
        LockHandle second = counted.acquire();
        var semaphore = new InterProcessSemaphoreV2(client(LONG_SESSION), root + "/export", 2);
        assertThat(semaphore.acquire(20, TimeUnit.SECONDS)).as("does not see ours").isNotNull();
        first.close();
        second.close();
        assertThat(failure(counted::acquire)).hasMessageContaining("export").hasMessageContaining("has a node 'l")
                .hasMessageContaining("quarkus.lock.zookeeper.nodes=read-write");
    }

    @ParameterizedTest
    @EnumSource
    void limitedHoldersAndTheRecipeExcludeEachOther(LockNodes nodes) throws Exception {
        DistributedLock counted = ours(nodes).lock("export", LockOptions.DEFAULTS.withLimit(2));
        InterProcessLock recipe = recipe(nodes, root + "/export");
        LockHandle one = counted.acquire();
        LockHandle two = counted.acquire();
        var got = CompletableFuture.supplyAsync(() -> {
            try {
                return recipe.acquire(20, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, threads);
        awaitNodes("export", 3);
        two.close();
        awaitNodes("export", 2);
        assertThat(counted.tryAcquire(Duration.ZERO)).as("nobody overtakes the recipe").isEmpty();
        assertThat(got).isNotDone();
        one.close();
        assertThat(got.get(20, TimeUnit.SECONDS)).isTrue();
        assertKeptOut(counted, Duration.ofMillis(200));
        awaitNodes("export", 1); // only the recipe's
    }

    @Test
    void recipeReadersWaitForAllLimitedHolders() throws Exception {
        DistributedLock counted = ours(LockNodes.READ_WRITE).lock("export", LockOptions.DEFAULTS.withLimit(2));
        var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + "/export").readLock();
        LockHandle one = counted.acquire();
        LockHandle two = counted.acquire();
        assertThat(recipe.acquire(200, TimeUnit.MILLISECONDS)).isFalse();
        two.close();
        assertThat(recipe.acquire(200, TimeUnit.MILLISECONDS)).isFalse();
        one.close();
        assertThat(recipe.acquire(20, TimeUnit.SECONDS)).isTrue();
        assertKeptOut(counted, Duration.ofMillis(200));
        recipe.release();
        counted.acquire().close();
    }

    @Test
    void readersWithDifferentLeasesAllFollowARemoteWriter() throws Exception {
        LockHandle writer = ours(LockNodes.READ_WRITE).lock("catalog").acquire();
        LockManager ours = ours(LockNodes.READ_WRITE);
        CompletableFuture<?>[] readers = new CompletableFuture[6];
        for (int i = 0; i < readers.length; i++) {
            DistributedLock reading = ours.lock("catalog",
                    SHARED.withLease(Duration.ofSeconds(20 + i % 3)).withRenew(i % 2 == 0));
            readers[i] = CompletableFuture.runAsync(() -> reading.acquire().close(), threads);
        }
        awaitNodes("catalog", 2); // one claim of theirs at a time, and one watch
        writer.close();
        CompletableFuture.allOf(readers).get(30, TimeUnit.SECONDS);
        awaitNodes("catalog", 0);
    }

    @Test
    void mixedRecipesOnOnePathAreReported() throws Exception {
        recipe(LockNodes.MUTEX, root + "/order-42").acquire();
        LockManager ours = ours(LockNodes.READ_WRITE);
        RuntimeException refused = failure(() -> ours.lock("order-42").acquire());
        assertThat(refused).hasMessageContaining("order-42").hasMessageContaining("quarkus.lock.zookeeper.nodes=read-write")
                .hasMessageContaining("lock-");
        awaitNodes("order-42", 1);
    }

    @Test
    void curatorSeesOurNodeAsAParticipant() throws Exception {
        LockHandle hold = ours(LockNodes.READ_WRITE).lock("order-42").acquire();
        String first = root + "/order-42/" + nodes("order-42").get(0);
        var next = ours(LockNodes.READ_WRITE).lock("order-42").acquireAsync().subscribeAsCompletionStage();
        awaitNodes("order-42", 2);
        var recipe = new InterProcessReadWriteLock(client(LONG_SESSION), root + "/order-42").writeLock();
        assertThat(recipe.getParticipantNodes()).as("in their order").hasSize(2).startsWith(first);
        hold.close();
        Jvm.get(next).close();
    }
}
