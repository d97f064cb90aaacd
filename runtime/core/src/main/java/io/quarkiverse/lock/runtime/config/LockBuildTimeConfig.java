package io.quarkiverse.lock.runtime.config;

import java.util.Map;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Locks: what is decided when the application is built. */
@ConfigMapping(prefix = "quarkus.lock")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface LockBuildTimeConfig {

    /**
     * Where locks are kept: the name of one of the backends whose extension the application has, such as {@code redis}, or
     * {@code local} for locks inside one JVM. Not needed when the application has one such extension. In dev and test mode
     * {@code local} is used when it has none.
     */
    Optional<String> backend();

    /** Further lock managers, injected with {@code @LockManagerName}. */
    @ConfigDocMapKey("manager-name")
    Map<String, Manager> managers();

    /** Metrics of locks. */
    Metrics metrics();

    /** Metrics of locks. */
    interface Metrics {

        /** Whether locks are counted and timed, where the application has the Micrometer extension. */
        @WithDefault("true")
        boolean enabled();
    }

    /** Traces of locks. */
    Traces traces();

    /** Traces of locks. */
    interface Traces {

        /** Whether waits and holds are spans of the caller's trace, where the application has the OpenTelemetry extension. */
        @WithDefault("true")
        boolean enabled();
    }

    /** Whether locks count for the health of the application. */
    Health health();

    /** Whether locks count for the health of the application. */
    interface Health {

        /**
         * Whether the application is ready only while each lock backend in use answers, where the application has a health
         * extension.
         */
        @WithDefault("true")
        boolean enabled();
    }

    /** What REST endpoints answer when a lock fails them. */
    Rest rest();

    /** What REST endpoints answer when a lock fails them. */
    interface Rest {

        /** With {@code quarkus-lock-rest}: whether locks that were busy, lost or out of reach have answers of their own. */
        @WithDefault("true")
        boolean enabled();
    }

    /** The endpoint for operators. */
    Management management();

    /** The endpoint for operators. */
    interface Management {

        /**
         * Whether operators can see what is locked, request releases and force them, at {@code /q/lock} of the management
         * interface. That needs {@code quarkus.management.enabled=true}: without it, the endpoint would be on the public port.
         */
        @WithDefault("false")
        boolean enabled();
    }

    /** A further lock manager. */
    interface Manager {

        /** Where this manager's locks are kept. By default where those of the default manager are. */
        Optional<String> backend();
    }
}
