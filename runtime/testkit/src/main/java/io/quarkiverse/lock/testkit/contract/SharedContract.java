package io.quarkiverse.lock.testkit.contract;

import static io.quarkiverse.lock.testkit.KeptOut.assertKeptOut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.smallrye.mutiny.Uni;

/**
 * Readers share a name, writers hold it alone, and neither waits forever. For backends with
 * {@link io.quarkiverse.lock.spi.Feature#SHARED}.
 */
@Needs(features = Feature.SHARED)
public abstract class SharedContract extends ContractTest {

    @Test
    @Rule({ 5, 8 })
    void readersShareAndExcludeWriters() {
        Jvm a = jvm();
        Jvm b = jvm();
        List<LockHandle> readers = List.of(a.shared(name()).acquire(), a.shared(name()).acquire(),
                b.shared(name()).acquire(), b.shared(name()).tryAcquire(Duration.ZERO).orElseThrow());
        for (Jvm jvm : List.of(a, b, jvm())) {
            assertThat(jvm.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        }
        for (LockHandle reader : readers) {
            assertHeld(reader);
            reader.close();
        }
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void writerExcludesReaders() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle writer = a.lock(name()).acquire();
        assertThat(a.shared(name()).tryAcquire(Duration.ZERO)).isEmpty();
        assertThat(b.shared(name()).tryAcquire(Duration.ZERO)).isEmpty();
        assertKeptOut(a.shared(name()), Duration.ofMillis(30));
        assertKeptOut(b.shared(name()), Duration.ofMillis(30));
        assertHeld(writer);
        writer.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(8)
    void writerEntersAfterLastReader() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle first = a.shared(name()).acquire();
        LockHandle second = a.shared(name()).acquire();
        LockHandle third = b.shared(name()).acquire();
        first.close();
        first.close();
        assertThat(first.isValid()).isFalse();
        third.close();
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).as("the second reader still holds it").isEmpty();
        assertHeld(second);
        second.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(8)
    void concurrentReadersEnterWithoutWaiting() throws Exception {
        Jvm a = jvm();
        var together = new CyclicBarrier(8);
        inLanes(8, lane -> {
            together.await(20, TimeUnit.SECONDS);
            try (LockHandle reader = a.shared(name()).tryAcquire(Duration.ZERO).orElseThrow()) {
                together.await(20, TimeUnit.SECONDS);
                assertHeld(reader);
            }
        });
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void readersBehindWriterEnterTogether() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle writer = jvm().lock(name()).acquire();
        var inside = new CyclicBarrier(8);
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Jvm jvm = i % 2 == 0 ? a : b;
            readers.add(start(() -> {
                try (LockHandle reader = jvm.shared(name()).acquire()) {
                    inside.await(20, TimeUnit.SECONDS); // nobody leaves before the last reader is in
                    assertHeld(reader);
                }
                return null;
            }));
        }
        awaitRequests(a, 4);
        awaitRequests(b, 4);
        writer.close();
        for (var reader : readers) {
            get(reader);
        }
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void readersDoNotOvertakeRemoteWriter() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle reader = a.shared(name()).acquire();
        var writer = start(() -> b.lock(name()).acquire());
        awaitWaiters(a, name(), 1);
        assertThat(jvm().shared(name()).tryAcquire(Duration.ZERO)).as("a reader in a third JVM").isEmpty();
        // News of the writer may be delayed, or get lost and arrive only with the answer to the next request
        Await.until("readers beside the one that holds it are kept out", SOON, () -> {
            var more = a.shared(name()).tryAcquire(Duration.ZERO);
            more.ifPresent(LockHandle::close);
            return more.isEmpty();
        });
        var later = start(() -> a.shared(name()).acquire());
        awaitWaiters(a, name(), 2);
        assertHeld(reader);
        assertThat(writer).isNotDone();
        reader.close();
        LockHandle written = get(writer);
        assertThat(later).isNotDone();
        written.close();
        LockHandle read = get(later);
        assertThat(read.fencingToken()).isGreaterThan(written.fencingToken());
        read.close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void blockedReaderErrorNamesTheHolder() throws Exception {
        Jvm holder = jvm("the reading server", builder -> {
        });
        Jvm b = jvm("the waiting server", builder -> {
        });
        LockHandle reader = holder.shared(name()).acquire();
        var writer = start(() -> b.lock(name()).acquire());
        awaitWaiters(holder, name(), 1);
        var more = jvm().locks().lock(name(),
                LockOptions.DEFAULTS.withMode(LockMode.SHARED).withWaitFor(Duration.ZERO));
        assertThatThrownBy(more::acquire).isInstanceOf(LockBusyException.class)
                .hasMessageContaining("held by the reading server").hasMessageNotContaining("the waiting server");
        reader.close();
        get(writer).close();
        assertBecomesFree(holder, name(), SOON);
    }

    @Test
    @Rule(8)
    void readersDoNotOvertakeLocalWriter() throws Exception {
        Jvm a = jvm();
        LockHandle reader = a.shared(name()).acquire();
        var writer = start(() -> a.lock(name()).acquire());
        awaitWaiters(a, name(), 1);
        assertThat(a.shared(name()).tryAcquire(Duration.ZERO)).isEmpty();
        assertKeptOut(a.shared(name()), Duration.ofMillis(30));
        reader.close();
        get(writer).close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(8)
    void writerIsNotStarvedByReaders() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        var over = new AtomicInteger();
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Jvm jvm = i % 2 == 0 ? a : b;
            readers.add(start(() -> {
                while (over.get() == 0) {
                    try (LockHandle reader = jvm.shared(name()).acquire()) {
                        Thread.sleep(10); // one reader is always still inside
                        assertHeld(reader);
                    }
                }
                return null;
            }));
        }
        try {
            Jvm c = jvm();
            for (int i = 0; i < times(10, 3); i++) {
                c.lock(name()).tryAcquire(SOON).orElseThrow().close();
                a.lock(name()).tryAcquire(SOON).orElseThrow().close();
            }
        } finally {
            over.set(1);
        }
        for (var reader : readers) {
            get(reader);
        }
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule({ 8, 9 })
    void writerThatGivesUpAdmitsReadersBehindIt() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle reader = a.shared(name()).acquire();
        for (Jvm jvm : List.of(a, b)) {
            var writer = start(() -> jvm.lock(name()).tryAcquire(Duration.ofSeconds(4)));
            awaitWaiters(a, name(), 1);
            var behindInA = start(() -> a.shared(name()).acquire());
            var behindInC = start(() -> jvm().shared(name()).acquire());
            assertThat(get(writer)).isEmpty();
            get(behindInA).close();
            get(behindInC).close();
            assertHeld(reader);
        }
        reader.close();
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(7)
    void nestedReadReentersWriter() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        a.lock(name()).call(() -> {
            long token = a.locks().held().get(0).fencingToken();
            try (LockHandle nested = a.shared(name()).acquire()) {
                assertThat(nested.fencingToken()).isEqualTo(token);
                assertThat(b.shared(name()).tryAcquire(Duration.ZERO)).as("it is still a writer").isEmpty();
            }
            return a.shared(name()).call(() -> null);
        });
        Uni<String> nested = a.lock(name())
                .callAsync(() -> a.shared(name()).callAsync(() -> Uni.createFrom().item("read")));
        assertThat(get(nested.subscribeAsCompletionStage())).isEqualTo("read");
        assertBecomesFree(b, name(), SOON);
    }

    @Test
    @Rule(7)
    void nestedWriteInsideReaderIsRejected() throws Exception {
        Jvm a = jvm();
        var writing = a.lock(name());
        a.shared(name()).call(() -> {
            assertThatThrownBy(writing::acquire).isInstanceOf(IllegalStateException.class).hasMessageContaining(name())
                    .hasMessageContaining("SHARED").hasMessageContaining("EXCLUSIVE");
            assertThatThrownBy(() -> writing.tryAcquire(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> writing.call(() -> null)).isInstanceOf(IllegalStateException.class);
            assertThat(a.locks().held()).hasSize(1);
            return null;
        });
        Uni<String> nested = a.shared(name()).callAsync(() -> writing.callAsync(() -> Uni.createFrom().item("written")));
        assertThatThrownBy(() -> get(nested.subscribeAsCompletionStage())).isInstanceOf(IllegalStateException.class);
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(7)
    void nestedReaderDoesNotWaitForWriter() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        CompletableFuture<LockHandle> writer = a.shared(name()).call(() -> {
            var waiting = start(() -> b.lock(name()).acquire());
            awaitWaiters(a, name(), 1);
            try (LockHandle nested = a.shared(name()).tryAcquire(Duration.ZERO).orElseThrow()) {
                assertHeld(nested);
            }
            a.shared(name()).call(() -> null);
            assertThat(waiting).isNotDone();
            return List.of(waiting); // a bare future would be rejected
        }).get(0);
        get(writer).close();
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(4)
    void writerTokenExceedsEarlierReaderTokens() {
        Jvm a = jvm();
        Jvm b = jvm();
        long last = 0;
        for (int i = 0; i < times(20, 5); i++) {
            LockHandle one = a.shared(name()).acquire();
            LockHandle two = b.shared(name()).acquire();
            assertThat(one.fencingToken()).isGreaterThan(last);
            assertThat(two.fencingToken()).isGreaterThan(last);
            last = Math.max(one.fencingToken(), two.fencingToken());
            one.close();
            two.close();
            try (LockHandle writer = (i % 2 == 0 ? a : b).lock(name()).acquire()) {
                assertThat(writer.fencingToken()).isGreaterThan(last);
                last = writer.fencingToken();
            }
        }
    }

    @Test
    @Rule(4)
    @Fault(130)
    void fault130_readersAreShownAsSharedHolders() {
        Jvm a = jvm();
        Jvm b = jvm();
        try (LockHandle writer = a.lock(name()).acquire()) {
            assertShown(a, writer, LockMode.EXCLUSIVE);
            assertThat(b.locks().inspect(name()).orElseThrow().holders()).hasSize(1);
        }
        try (LockHandle one = a.shared(name()).acquire(); LockHandle two = b.shared(name()).acquire()) {
            assertShown(a, one, LockMode.SHARED);
            assertShown(b, two, LockMode.SHARED);
            assertThat(b.locks().inspect(name()).orElseThrow().holders()).hasSize(2);
        }
    }

    private void assertShown(Jvm holder, LockHandle hold, LockMode mode) {
        assertThat(jvm().locks().inspect(name()).orElseThrow().holders())
                .filteredOn(shown -> shown.fencingToken() == hold.fencingToken()).singleElement()
                .satisfies(shown -> {
                    assertThat(shown.mode()).isEqualTo(mode);
                    assertThat(shown.limit()).isZero();
                });
        assertThat(holder.locks().held()).singleElement().satisfies(held -> {
            assertThat(held.mode()).isEqualTo(mode);
            assertThat(held.limit()).isZero();
        });
    }

    @Test
    @Rule(5)
    void forcedReleaseLosesEveryReader() {
        Jvm a = watchful();
        Jvm b = watchful();
        List<LockHandle> readers = List.of(a.shared(name()).acquire(), a.shared(name()).acquire(),
                b.shared(name()).acquire());
        var told = new AtomicInteger();
        readers.forEach(reader -> reader.onLost(told::incrementAndGet));
        assertThat(jvm().locks().forceRelease(name())).isTrue();
        Await.until("all three are notified", SOON, () -> told.get() == 3);
        assertThat(readers).noneMatch(LockHandle::isValid);
        LockHandle writer = b.lock(name()).acquire();
        assertThat(readers).allMatch(reader -> reader.fencingToken() < writer.fencingToken());
        readers.forEach(LockHandle::close);
        assertHeld(writer);
        writer.close();
        assertThat(told).hasValue(3);
        assertBecomesFree(a, name(), SOON);
    }

    @Test
    @Rule(2)
    void unrenewedReaderExpiresIndependently() {
        Jvm a = jvm();
        LockOptions reading = LockOptions.DEFAULTS.withMode(LockMode.SHARED).withLease(RENEWED_LEASE);
        LockHandle renewed = a.locks().lock(name(), reading).acquire();
        LockHandle brief = a.locks().lock(name(), reading.withRenew(false)).acquire();
        LockHandle bounded = a.locks().lock(name(), reading.withMaxHold(Duration.ofMillis(10))).acquire();
        Await.until("its lease ends", SOON, () -> !brief.isValid() && !bounded.isValid());
        assertHeld(renewed);
        Await.during("the other one is kept", RENEWED_LEASE, renewed::isValid);
        renewed.close();
        brief.close();
        bounded.close();
        assertBecomesFree(jvm(), name(), SOON);
    }

    @Test
    @Rule(11)
    void sharedGrantIsRenewedForRemainingReader() {
        Jvm a = jvm();
        LockOptions reading = LockOptions.DEFAULTS.withMode(LockMode.SHARED).withLease(RENEWED_LEASE);
        LockHandle first = a.locks().lock(name(), reading).acquire();
        LockHandle second = a.locks().lock(name(), reading).acquire();
        first.close();
        Await.during("the second is kept", RENEWED_LEASE.multipliedBy(2), second::isValid);
        assertThat(jvm().lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        second.close();
        assertBecomesFree(a, name(), SOON);
    }
}
