package io.quarkiverse.lock.sale;

import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** A grant counts when the replica has confirmed it. */
@QuarkusTest
@TestProfile(MasterOfDevServiceWithAcksCheck.Safety.class)
class MasterOfDevServiceWithAcksCheck extends MasterOfDevServiceChecks {

    public static class Safety extends Level {
        public Safety() {
            super(Map.of("quarkus.lock.redis.replica-acks", "1"));
        }
    }

    @Override
    void check(JsonNode status) {
        checkNothingIsSoldTwice(status);
    }
}
