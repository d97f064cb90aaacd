package io.quarkiverse.lock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkiverse.lock.testkit.FullBuild;

/** As {@link TwoNodesIT}, with a master that can die. */
@FullBuild
class TwoNodesOnSentinelIT extends TwoNodesIT {

    @Override
    Backend backend() {
        return Backend.SENTINEL;
    }

    @Test
    void sellsNothingTwiceWhenTheMasterDies() throws Exception {
        JsonNode status = sales().runWithoutMaster();
        assertThat(status.get("oversold").asInt()).as(status.toString()).isZero();
        assertThat(status.get("waiting").asInt()).isZero();
        sales().checkSuccessor(status);
    }
}
