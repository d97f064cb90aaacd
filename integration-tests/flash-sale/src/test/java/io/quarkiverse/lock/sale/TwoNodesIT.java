package io.quarkiverse.lock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The packaged application, as {@code ./run} starts it. */
@TestInstance(Lifecycle.PER_CLASS)
class TwoNodesIT {

    private Shops shops;
    private Sales sales;

    Backend backend() {
        return Backend.REDIS;
    }

    Sales sales() {
        return sales;
    }

    @BeforeAll
    void open() throws Exception {
        shops = new Shops(backend());
        sales = new Sales(shops.first());
    }

    @AfterAll
    void close() {
        shops.close();
    }

    @Test
    void sellsExactlyTheStock() throws Exception {
        SaleContract.sellsExactlyTheStock(sales);
        assertThat(sales.nodes()).hasSize(2).allSatisfy(node -> assertThat(node.get("holds").asLong()).isPositive());
    }

    @Test
    void oversellsWithoutTheLock() throws Exception {
        SaleContract.oversellsWithoutTheLock(sales);
    }
}
