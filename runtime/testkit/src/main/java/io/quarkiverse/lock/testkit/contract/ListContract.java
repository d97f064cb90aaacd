package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;

/** Locks can be listed, page by page. For backends with {@link Feature#LIST}. */
@Needs(features = Feature.LIST)
public abstract class ListContract extends ContractTest {

    @Test
    void listIsEmptyWithoutLocks() {
        assertThat(jvm().listed(LockQuery.ALL)).isEmpty();
    }

    @Test
    void lockIsListedOnlyWhileHeld() {
        Jvm a = jvm();
        Jvm b = jvm();
        try (LockHandle hold = a.lock(name()).acquire()) {
            assertThat(names(a)).containsExactly(name());
            assertThat(names(b)).containsExactly(name());
            assertHeld(hold);
        }
        Await.until("nothing is listed", SOON, () -> names(b).isEmpty());
    }

    @Test
    @Needs(Ability.OPERATORS)
    void listedLockHasAllDetails() {
        Jvm a = jvm("the first server", builder -> {
        });
        try (LockHandle hold = a.lock(name()).acquire()) {
            LockInfo listed = jvm().listed(LockQuery.ALL).get(0);
            assertThat(listed.waiters()).isZero();
            assertThat(listed.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.owner()).isEqualTo("the first server");
                assertThat(holder.fencingToken()).isEqualTo(hold.fencingToken());
                assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
                assertThat(holder.limit()).isZero();
                assertThat(holder.heldFor()).isBetween(Duration.ofSeconds(-5), Duration.ofMinutes(5));
                assertThat(holder.remaining()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
            });
            assertHeld(hold);
        }
    }

    @Test
    @Needs({ Ability.OPERATORS, Ability.LINE })
    void waitersAreListed() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm("the second server", builder -> {
        });
        Jvm c = jvm();
        LockHandle hold = a.lock(name()).acquire();
        CompletableFuture<LockHandle> next = start(() -> b.lock(name()).acquire());
        awaitWaiters(a, name(), 1);
        LockInfo listed = c.listed(LockQuery.ALL).get(0);
        LockInfo inspected = c.locks().inspect(name()).orElseThrow();
        for (LockInfo info : List.of(listed, inspected)) {
            assertThat(info.holders()).hasSize(1);
            assertThat(info.waiters()).isEqualTo(1);
            assertThat(info.waiting()).singleElement().satisfies(waiter -> {
                assertThat(waiter.owner()).isEqualTo("the second server");
                assertThat(waiter.mode()).isEqualTo(LockMode.EXCLUSIVE);
                assertThat(waiter.limit()).isZero();
                assertThat(waiter.waitingFor()).isBetween(Duration.ofSeconds(-5), Duration.ofMinutes(5));
            });
        }
        hold.close();
        get(next).close();
    }

    @Test
    @Needs(value = { Ability.OPERATORS, Ability.LINE }, features = Feature.SHARED)
    void everyReaderIsIncluded() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        Jvm writer = jvm();
        LockHandle one = a.shared(name()).acquire();
        LockHandle two = b.shared(name()).acquire();
        CompletableFuture<LockHandle> next = start(() -> writer.lock(name()).acquire());
        awaitWaiters(a, name(), 1);
        LockInfo listed = jvm().listed(LockQuery.ALL).get(0);
        assertThat(listed.holders()).hasSize(2).allMatch(holder -> holder.mode() == LockMode.SHARED)
                .extracting(LockInfo.Holder::fencingToken)
                .containsExactlyInAnyOrder(one.fencingToken(), two.fencingToken());
        assertThat(listed.waiting()).extracting(LockInfo.Waiter::mode).containsExactly(LockMode.EXCLUSIVE);
        one.close();
        two.close();
        get(next).close();
    }

    @Test
    @Needs(value = { Ability.OPERATORS, Ability.LINE }, features = Feature.LIMIT)
    void limitsAreListed() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        Jvm c = jvm();
        LockHandle one = a.limited(name(), 2).acquire();
        LockHandle two = b.limited(name(), 2).acquire();
        CompletableFuture<LockHandle> next = start(() -> c.limited(name(), 2).acquire());
        awaitWaiters(a, name(), 1);
        LockInfo listed = jvm().listed(LockQuery.ALL).get(0);
        assertThat(listed.holders()).hasSize(2).allMatch(holder -> holder.limit() == 2);
        assertThat(listed.waiting()).extracting(LockInfo.Waiter::limit).containsExactly(2);
        one.close();
        get(next).close();
        two.close();
    }

    @Test
    void prefixIsMatchedLiterally() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        List<String> names = List.of("order-1", "order-2", "order", "Order-1", "o*", "o*1", "o%", "o%1", "o_", "o_1", "o?1",
                "o[a]1", "o\\1", "o\\u00e4", "a/b", "a/b/c", "{a}1", "a:b", "a:", "%6f1", "\u00e4 1", "\u00e41",
                "\ud83d\ude001",
                "\ud83d1", "\nx", "'x", "--", "order-" + "y".repeat(150));
        holding(a, names, () -> {
            for (String prefix : List.of("order-", "o", "O", "o*", "o%", "o_", "o?", "o[", "o[a]", "o\\", "o\\u", "a/", "a/b/",
                    "{", "{a}", "a:", "%", "%6", "\u00e4", "\u00e4 ", "\ud83d", "\ud83d\ude00", "\n", "'", "-", "", "none",
                    "order-" + "y".repeat(150), "order-" + "y".repeat(151))) {
                assertThat(names(b, prefix)).as("begin with '%s'", prefix).containsExactlyInAnyOrderElementsOf(
                        names.stream().filter(name -> name.startsWith(prefix)).toList());
            }
        });
    }

    @Test
    void longNameIsListedAsStored() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        List<String> names = List.of("x".repeat(1024), "\u00e4".repeat(1024), "y".repeat(1023) + "*");
        holding(a, names, () -> assertThat(names(b))
                .containsExactlyInAnyOrderElementsOf(names.stream().map(environment()::listed).toList()));
    }

    @Test
    void pagesCoverEveryName() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < environment().manyLocks(); i++) {
            names.add("page-" + i);
        }
        holding(a, names, () -> {
            for (int size : new int[] { 7, LockQuery.MAX_PAGE_SIZE }) {
                LockQuery query = LockQuery.ALL.withPageSize(size);
                List<LockQuery.Page> pages = b.pages(query);
                assertThat(pages).hasSizeGreaterThanOrEqualTo(size == 7 ? names.size() / 7 / 4 : 1);
                // Without changes, most stores list nothing twice, but they may
                assertThat(new TreeSet<>(names(pages))).containsExactlyInAnyOrderElementsOf(names);
            }
            assertThat(new TreeSet<>(names(b.pages(LockQuery.ALL.withPrefix("page-1").withPageSize(3)))))
                    .containsExactlyInAnyOrderElementsOf(names.stream().filter(name -> name.startsWith("page-1")).toList());
        });
    }

    /** The text of a continuation is all that a caller has to keep, for example between two requests of a browser. */
    @Test
    void continuationWorksInAnotherJvm() throws Exception {
        List<Jvm> jvms = List.of(jvm(), jvm());
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            names.add("page-" + i);
        }
        holding(jvms.get(0), names, () -> {
            List<String> found = new ArrayList<>();
            Optional<String> continuation = Optional.empty();
            int pages = 0;
            do {
                LockQuery query = LockQuery.ALL.withPageSize(3).withContinuation(continuation.orElse(null));
                LockQuery.Page page = jvms.get(pages % 2).locks().listAsync(query)
                        .onFailure(LockBackendException.class).retry().atMost(5).await().atMost(SOON.multipliedBy(2));
                page.locks().forEach(lock -> found.add(lock.name()));
                continuation = page.next().map(LockQuery::continuation);
            } while (continuation.isPresent() && ++pages < Jvm.MOST_PAGES);
            assertThat(new TreeSet<>(found)).containsExactlyInAnyOrderElementsOf(names);
        });
    }

    /** Browsers, forms and JSON send UTF-8, which turns an unpaired surrogate, as in a truncated name, into a question mark. */
    @Test
    @Fault(478)
    void fault478_continuationSurvivesUtf8Encoding() throws Exception {
        Jvm a = jvm();
        List<String> names = List.of("page-?", "page-\ud83d", "page-\\ud83d", "page-\ud83d\ude00", "page-\ude00\\", "page-\\",
                "page-\uffe6");
        holding(a, names, () -> {
            Set<String> found = new TreeSet<>();
            LockQuery query = LockQuery.ALL.withPageSize(1);
            for (int pages = 0; query != null; pages++) {
                assertThat(pages).as("pages").isLessThan(Jvm.MOST_PAGES);
                LockQuery.Page page = a.page(query);
                page.locks().forEach(lock -> found.add(lock.name()));
                query = page.next().map(next -> next.withContinuation(sent(next.continuation()))).orElse(null);
            }
            assertThat(found).containsExactlyInAnyOrderElementsOf(names);
        });
    }

    private static String sent(String continuation) {
        return new String(continuation.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** Other names come and go while the pages are read. The held names are found nevertheless. */
    @Test
    void heldLocksAreListedDespiteConcurrentChanges() throws Exception {
        Jvm a = jvm();
        Jvm b = jvm();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            names.add("stands-" + i);
        }
        CountDownLatch enough = new CountDownLatch(1);
        CompletableFuture<Void> changes = start(() -> {
            for (int i = 0; !enough.await(1, TimeUnit.MILLISECONDS); i = (i + 1) % 50) {
                b.lock("comes-and-goes-" + i).tryAcquire(Duration.ZERO).ifPresent(LockHandle::close);
            }
            return null;
        });
        try {
            holding(a, names, () -> {
                for (int i = 0; i < 5; i++) {
                    Set<String> found = new TreeSet<>(names(a.pages(LockQuery.ALL.withPageSize(5))));
                    assertThat(found).containsAll(names);
                }
            });
        } finally {
            enough.countDown();
        }
        get(changes);
    }

    @Test
    @Needs(Ability.STORE_LEASES)
    void expiredLockIsNotListed() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        Await.until("its lease is over", SOON, () -> !hold.isValid());
        Await.until("nothing is listed", SOON, () -> names(b).isEmpty());
        hold.close();
    }

    /** The namespace is matched exactly; it is not a prefix that others may share. */
    @Test
    void otherNamespacesAreNotListed() throws Exception {
        try (ContractEnvironment other = newEnvironment()) {
            Jvm a = jvm();
            Jvm b = closeLater(new Jvm(other.backend("elsewhere"), builder -> {
            }, other::manager, io.quarkiverse.lock.engine.ManagerDefaults.STANDARD));
            LockHandle here = a.lock("here").acquire();
            LockHandle there = b.lock("there").acquire();
            assertThat(names(a)).containsExactly("here");
            assertThat(names(b)).containsExactly("there");
            here.close();
            there.close();
            b.close();
        }
    }

    @Test
    void invalidContinuationIsRejected() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        for (String foreign : List.of("", " ", "x", "17", "17@", "0@@", "99999999999999999999@run@1@", "/", "/%zz", "/a b",
                "local", "' OR 1=1 --", "\ud83d", "0".repeat(63))) {
            LockQuery query = LockQuery.ALL.withContinuation(foreign);
            assertThatThrownBy(() -> a.locks().list(query)).as("'%s'", foreign).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> a.locks().listAsync(query).await().atMost(SOON)).as("'%s'", foreign)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertHeld(hold);
        hold.close();
    }

    @Test
    void outOfBoundsPageSizeIsRejected() {
        assertThatThrownBy(() -> LockQuery.ALL.withPageSize(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LockQuery.ALL.withPageSize(LockQuery.MAX_PAGE_SIZE + 1))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1000");
    }

    /** Does something while these names are held. */
    private void holding(Jvm jvm, List<String> names, Step step) throws Exception {
        List<LockHandle> holds = new ArrayList<>();
        for (String name : names) {
            holds.add(jvm.lock(name).acquire());
        }
        try {
            step.run();
            assertThat(holds).allSatisfy(ContractTest::assertHeld);
        } finally {
            Collections.reverse(holds);
            holds.forEach(LockHandle::close);
        }
    }

    /** Something to do. */
    @FunctionalInterface
    private interface Step {

        void run() throws Exception;
    }

    private static List<String> names(Jvm jvm) {
        return names(jvm, "");
    }

    private static List<String> names(Jvm jvm, String prefix) {
        return names(jvm.pages(LockQuery.ALL.withPrefix(prefix).withPageSize(LockQuery.MAX_PAGE_SIZE)));
    }

    private static List<String> names(List<LockQuery.Page> pages) {
        return pages.stream().flatMap(page -> page.locks().stream()).map(LockInfo::name).toList();
    }
}
