package org.acme;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.it.testing.Tables;
import io.quarkiverse.lock.test.TestLocks;
import io.quarkus.test.junit.QuarkusTest;

/** Runs the guide's examples that no other test covers. */
@QuarkusTest
class EveryExampleTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Inject
    TestLocks locks;

    @Inject
    LockManager manager;

    @Inject
    Tables tables;

    @AfterEach
    void noNodeIsBusy() {
        locks.endBusy();
    }

    @Inject
    Shop shop;

    @Inject
    ShopWithId shopWithId;

    @Inject
    Payments payments;

    @Inject
    Withdrawals withdrawals;

    @Inject
    Settlement settlement;

    @Inject
    InTransaction inTransaction;

    @Inject
    Transfers transfers;

    @Inject
    StockSale sale;

    @Inject
    LockedPeer peer;

    @Inject
    Shelves shelves;

    @Test
    void lockedMethodExamplesWork() throws Exception {
        shop.pay(new Shop.Order("1"));
        shop.load("prices");
        shopWithId.pay("1");
        payments.pay(new Payments.Order("1", BigDecimal.TEN));
        withdrawals.withdraw("1", BigDecimal.TEN);
        settlement.settle(List.of("1", "2"), BigDecimal.TEN);
        inTransaction.withdraw("1", BigDecimal.TEN);
        inTransaction.deposit("1", BigDecimal.TEN);
        transfers.transfer("1", "2", BigDecimal.TEN);
        sale.sell("1", () -> locks.assertHeld("stock-1"));
        locks.assertFree("stock-1");
        peer.sell(() -> locks.assertHeld("stock 7"));
        shelves.count("eu-1", 7);
        assertThat(shelves.isCounted("eu-1", 7)).isFalse();
        locks.busy("shelf-eu\\-1-7");
        assertThat(shelves.isCounted("eu-1", 7)).isTrue();
    }

    @Inject
    NightlyReport nightlyReport;

    @Inject
    HourlyReport hourlyReport;

    @Inject
    ReportByHand reportByHand;

    @Test
    void reportsAreSkippedWhileTheirLockIsHeld() {
        shop.report();
        hourlyReport.write();
        nightlyReport.write();
        for (String taken : List.of("report", "hourly-report", "nightly-report")) {
            assertThat(manager.lock(taken).tryAcquire(Duration.ZERO)).as(taken).isEmpty();
        }
        shop.report();
        hourlyReport.write();
        nightlyReport.write();
        AtomicInteger written = new AtomicInteger();
        reportByHand.write(written::incrementAndGet);
        assertThat(written).hasValue(0);
        locks.advance(Duration.ofMinutes(1));
        reportByHand.write(written::incrementAndGet);
        reportByHand.write(written::incrementAndGet);
        assertThat(written).hasValue(1);
    }

    @Test
    void hourlyReportDeclaresMaxHoldAndInterrupt() throws Exception {
        Locked hourly = HourlyReport.class.getDeclaredMethod("write").getAnnotation(Locked.class);
        assertThat(hourly.maxHold()).isEqualTo("50m");
        assertThat(hourly.onLost()).isEqualTo(Locked.OnLost.INTERRUPT);
    }

    @Inject
    Prices prices;

    @Test
    void busyPriceIsServedFromTheCache() {
        assertThat(prices.price("1").await().atMost(PATIENCE)).isEqualTo(BigDecimal.TEN);
        locks.busy("price-1");
        assertThat(prices.price("1").await().atMost(PATIENCE)).isEqualTo(BigDecimal.TEN);
        locks.busy("price-2");
        assertThat(prices.price("2").await().atMost(PATIENCE)).isEqualTo(BigDecimal.ONE);
    }

    @Inject
    Catalog catalog;

    @Inject
    ArticleStream stream;

    @Inject
    CatalogReader reader;

    @Inject
    Publisher publisher;

    @Inject
    Articles articles;

    @Test
    void catalogReaderExamplesWork() {
        catalog.add("apple");
        assertThat(catalog.read()).containsExactly("apple");
        assertThat(catalog.export()).isEqualTo("apple");
        assertThat(stream.articles().collect().asList().await().atMost(PATIENCE)).containsExactly("apple", "pear");
        assertThat(reader.<String> find(() -> {
            locks.assertHeld("catalog");
            return "pear";
        })).isEqualTo("pear");
        publisher.publish(() -> locks.assertHeld("catalog"), () -> assertThat(readsElsewhere()).containsExactly("apple"));
        assertThat(articles.refresh("plum").await().atMost(PATIENCE)).isEqualTo("PLUM");
        locks.assertFree("catalog");
    }

    /** On another thread. */
    private List<String> readsElsewhere() {
        return CompletableFuture.supplyAsync(catalog::read).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Inject
    Stock stock;

    @Inject
    SaleByLock saleByLock;

    @Inject
    LongSale longSale;

    @Test
    void programmaticLockExamplesWork() throws Exception {
        stock.count();
        stock.countIfFree();
        stock.countLater().await().atMost(PATIENCE);
        assertThat(stock.sell()).isEqualTo(1);
        assertThat(stock.sellLater().await().atMost(PATIENCE)).isEqualTo(1);
        saleByLock.sell("7", () -> locks.assertHeld("stock-7"));
        longSale.sell("7", () -> {
            throw new AssertionError("it is not lost");
        });
        locks.assertFree("stock-7");
    }

    @Inject
    ChosenOptions options;

    @Test
    void lockOptionExamplesWork() {
        try (LockHandle reader = options.reader().acquire(); LockHandle other = options.reader().acquire()) {
            assertThat(reader.isValid() && other.isValid()).isTrue();
        }
        try (LockHandle one = options.oneOfFive().acquire(); LockHandle other = options.oneOfFive().acquire()) {
            assertThat(one.isValid() && other.isValid()).isTrue();
        }
        try (LockHandle report = options.report().acquire()) {
            assertThat(report.validFor()).isGreaterThan(Duration.ofSeconds(50));
        }
    }

    @Inject
    Accounts accounts;

    @Inject
    Archive archive;

    @Inject
    OpenOrders open;

    @Inject
    NamedManagers named;

    @Test
    void lockManagerExamplesWork() {
        accounts.transfer("1", "2");
        named.pay("1");
        locks.busy("order-77");
        open.log();
        archive.write(() -> {
        }, () -> locks.advance(Duration.ofSeconds(15)));
        assertThat(manager.lock("archive").tryAcquire(Duration.ZERO)).as("for ten minutes").isEmpty();
        locks.advance(Duration.ofMinutes(10));
        locks.assertFree("archive");
    }

    @Inject
    RowExport rows;

    @Inject
    PageExport pages;

    @Inject
    PoliteExport polite;

    @Test
    void exportExamplesCheckTheirLock() {
        rows.export(List.of("1", "2"));
        pages.export(List.of("1", "2").iterator());
        assertThat(polite.ask()).isFalse();
        polite.export(List.of("1", "2").iterator());
        polite.exportByHand(() -> locks.assertHeld("export"), () -> {
            throw new AssertionError("nobody has asked");
        });
        locks.assertFree("export");
    }

    @Inject
    FencedStock fenced;

    @Inject
    GuardedStock guarded;

    @Test
    void fencedWriteExamplesWork() throws Exception {
        tables.stock("100", 5);
        fenced.write("100", 4);
        fenced.write("100", 3);
        guarded.sell("100");
        assertThat(tables.amount("100")).isEqualTo(2);
    }
}
