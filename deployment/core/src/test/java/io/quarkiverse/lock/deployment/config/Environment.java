package io.quarkiverse.lock.deployment.config;

import java.util.Map;

import io.smallrye.config.EnvConfigSource;

/** The environment variables of a process, without the process. */
final class Environment {

    private Environment() {
    }

    /** A configuration source that turns this class and its resource into the variables of one test. */
    public static class OfIds extends EnvConfigSource {

        public OfIds() {
            super(Map.of("QUARKUS_LOCK_OVERRIDES_PAY_LEASE", "5s", "QUARKUS_LOCK_OVERRIDES_PAY_MAX_HOLD", "7m",
                    "QUARKUS_LOCK_OVERRIDES__STOCK__ORDER_ID___LEASE", "8s", "_PROD_QUARKUS_LOCK_OVERRIDES_NONE_WAIT", "1s"),
                    ORDINAL);
        }
    }

    public static class OfManagers extends EnvConfigSource {

        public OfManagers() {
            super(Map.of("QUARKUS_LOCK_MANAGERS__ORDERS__WAIT", "1s", "QUARKUS_LOCK_MANAGERS_STOCK_WAIT", "1s",
                    "QUARKUS_LOCK_MANAGERS__PAY__WAIT", "1s"), ORDINAL);
        }
    }

    public static class OfNothing extends EnvConfigSource {

        public OfNothing() {
            super(Map.of("QUARKUS_LOCK_OVERRIDES_PAI_WAIT", "0", "QUARKUS_LOCK_OVERRIDES_PAY_WATI", "0",
                    "QUARKUS_LOCK_OVERRIDES__STOCK__ITEM___WAIT", "5s", "_TEST_QUARKUS_LOCK_OVERRIDES_NONE_WAIT", "1s",
                    "QUARKUS_LOCK_OVERRIDES_PAY_LEASE", "9s", "QUARKUS_LOCK_OVERRIDES_COUNT_ALL_WAIT", "0",
                    "QUARKUS_LOCK_OVERRIDES_COUNT_SOME_WAIT", "0", "QUARKUS_LOCK_OVERRIDES__COUNT_ALL__RENEW", "false",
                    "QUARKUS_LOCK_OVERRIDES_REFUND_WAIT", "0"), ORDINAL);
        }
    }
}
