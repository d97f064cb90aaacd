package io.quarkiverse.lock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTestProfile;

/** What the page's button does with the Redis that dev mode starts; needs a container engine. */
abstract class MasterOfDevServiceChecks {

    /** With sentinels, and the configuration of a safety level. */
    abstract static class Level implements QuarkusTestProfile {

        private final Map<String, String> properties = new HashMap<>(
                Map.of("quarkus.lock.redis.devservices.topology", "sentinel", "quarkus.redis.devservices.enabled", "false"));

        Level(Map<String, String> safety) {
            properties.putAll(safety);
        }

        @Override
        public Map<String, String> getConfigOverrides() {
            return properties;
        }

        /** Another test's resource would set the address of Redis; then no dev service is started or used. */
        @Override
        public boolean disableGlobalTestResources() {
            return true;
        }
    }

    @TestHTTPResource
    URI node;

    @Test
    void saleContinuesAfterMasterFailure() throws Exception {
        var sales = new Sales(node);
        for (int time = 0; time < times(); time++) {
            sales.master("a replica follows", master -> master.get("replicas").asInt() > 0);
            JsonNode status = sales.runWithoutMaster();
            sales.checkSuccessor(status);
            assertThat(status.get("token").asLong()).as(status.toString())
                    .isGreaterThan(status.get("fall").get("token").asLong());
            // One buyer has the lock: if the master dies in the middle, an item is taken but not sold
            assertThat(status.get("sold").asInt()).as(status.toString()).isGreaterThanOrEqualTo(98);
            check(status);
        }
    }

    /** Twice: the second time, the master killed first is a replica and takes over. */
    int times() {
        return 2;
    }

    /** What this level promises in addition. */
    abstract void check(JsonNode status);

    static void checkNothingIsSoldTwice(JsonNode status) {
        assertThat(status.get("oversold").asInt()).as(status.toString()).isZero();
    }
}
