package io.quarkiverse.lock.sale;

import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** No lock is granted for a while after a fail-over. */
@QuarkusTest
@TestProfile(MasterOfDevServiceWithGraceCheck.Safety.class)
class MasterOfDevServiceWithGraceCheck extends MasterOfDevServiceChecks {

    public static class Safety extends Level {
        public Safety() {
            super(Map.of("quarkus.lock.redis.after-failover", "grace", "quarkus.lock.redis.longest-lease", "5s",
                    "quarkus.lock.lease", "5s"));
        }
    }

    @Override
    void check(JsonNode status) {
        checkNothingIsSoldTwice(status);
    }
}
