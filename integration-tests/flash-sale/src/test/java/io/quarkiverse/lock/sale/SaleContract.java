package io.quarkiverse.lock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;

/** What the showcase shows. */
final class SaleContract {

    private static final int ROUNDS_WITH_LOCK = 3;
    private static final int ROUNDS_WITHOUT = 10;

    private SaleContract() {
    }

    /** Sells every item exactly once. */
    static void sellsExactlyTheStock(Sales sales) throws Exception {
        for (int round = 0; round < ROUNDS_WITH_LOCK; round++) {
            JsonNode status = sales.run(true);
            assertThat(status.get("failed").asInt()).as(status.toString()).isZero();
            assertThat(status.get("sold").asInt()).as(status.toString()).isEqualTo(100);
            assertThat(status.get("oversold").asInt()).as(status.toString()).isZero();
            assertThat(status.get("left").asInt()).as(status.toString()).isZero();
        }
    }

    /** The test does not cause this: nothing slows the sale down. So it may take more than one sale. */
    static void oversellsWithoutTheLock(Sales sales) throws Exception {
        int oversold = 0;
        for (int round = 0; round < ROUNDS_WITHOUT && oversold == 0; round++) {
            oversold = sales.run(false).get("oversold").asInt();
        }
        assertThat(oversold).isPositive();
    }
}
