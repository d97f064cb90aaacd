package io.quarkiverse.lock.runtime.config;

import java.util.Map;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Locks: what is fixed when the application is built. */
@ConfigMapping(prefix = "quarkus.lock")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface LockBuildTimeConfig {

    /**
     * The backend that keeps the locks: the name of a backend whose extension the application has, such as {@code redis},
     * or {@code local} for locks inside one JVM. Not needed when the application has one such extension. In dev and test
     * mode, {@code local} is used when it has none.
     */
    Optional<String> backend();

    /** Additional lock managers, injected with {@code @LockManagerName}. */
    @ConfigDocMapKey("manager-name")
    Map<String, Manager> managers();

    /** Lock metrics. */
    Metrics metrics();

    /** Lock metrics. */
    interface Metrics {

        /** Whether locks are counted and timed. Has no effect without the Micrometer extension. */
        @WithDefault("true")
        boolean enabled();
    }

    /** Lock traces. */
    Traces traces();

    /** Lock traces. */
    interface Traces {

        /** Whether waits and holds are spans in the caller's trace. Has no effect without the OpenTelemetry extension. */
        @WithDefault("true")
        boolean enabled();
    }

    /** How locks affect the health of the application. */
    Health health();

    /** How locks affect the health of the application. */
    interface Health {

        /**
         * Whether the application is ready only while every lock backend in use answers. Has no effect without a health
         * extension.
         */
        @WithDefault("true")
        boolean enabled();
    }

    /** How REST endpoints respond when a lock fails. */
    Rest rest();

    /** How REST endpoints respond when a lock fails. */
    interface Rest {

        /** With {@code quarkus-lock-rest}: whether busy, lost and unreachable locks have responses of their own. */
        @WithDefault("true")
        boolean enabled();
    }

    /** The endpoint for operators. */
    Management management();

    /** The endpoint for operators. */
    interface Management {

        /**
         * Whether operators can see what is locked, and request or force releases, at {@code /q/lock} of the management
         * interface. Requires {@code quarkus.management.enabled=true}; without it, the endpoint would be on the public
         * port.
         */
        @WithDefault("false")
        boolean enabled();
    }

    /** An additional lock manager. */
    interface Manager {

        /** The backend that keeps this manager's locks. Defaults to the default manager's backend. */
        Optional<String> backend();
    }
}
