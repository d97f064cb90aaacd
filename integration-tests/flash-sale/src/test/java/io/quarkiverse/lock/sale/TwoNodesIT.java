package io.quarkiverse.lock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The packaged application, as {@code ./run} starts it. */
class TwoNodesIT {

    private static Shops shops;
    private static Sales sales;

    @BeforeAll
    static void open() throws Exception {
        shops = new Shops();
        sales = new Sales(shops.first());
    }

    @AfterAll
    static void close() {
        shops.close();
    }

    @Test
    void sellsExactlyWhatThereIs() throws Exception {
        SaleContract.sellsExactlyWhatThereIs(sales);
        assertThat(sales.nodes()).hasSize(2).allSatisfy(node -> assertThat(node.get("holds").asLong()).isPositive());
    }

    @Test
    void oversellsWithoutTheLock() throws Exception {
        SaleContract.oversellsWithoutTheLock(sales);
    }
}
