package io.quarkiverse.lock.sale;

import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** Grants count once the master has them: it may lose the last one. */
@QuarkusTest
@TestProfile(MasterOfDevServiceAtOnceCheck.Safety.class)
class MasterOfDevServiceAtOnceCheck extends MasterOfDevServiceChecks {

    public static class Safety extends Level {
        public Safety() {
            super(Map.of());
        }
    }

    /** A replica that has followed for only a second may miss the whole sale, which then never ends. */
    @Override
    int times() {
        return 1;
    }

    @Override
    void check(JsonNode status) {
        // A lock that had not reached the replica may have been granted twice
    }
}
