package io.quarkiverse.lock.jpa.runtime;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Which database keeps the locks. */
@ConfigMapping(prefix = "quarkus.lock.jpa")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface JpaLockBuildConfig {

    /**
     * The persistence unit whose data source has the tables {@code quarkus_lock} and {@code quarkus_lock_claim}. Their
     * entities belong to this unit, so its schema and its naming strategy for tables apply, and its schema management
     * creates and validates the tables.
     */
    @WithDefault("<default>")
    String persistenceUnit();

    /**
     * How a lock is represented: {@code lease} uses a row that says until when it is held; {@code pessimistic} uses a row
     * that the caller's transaction locks ({@code PESSIMISTIC_WRITE}) and frees when it commits or rolls back. The second
     * is for blocking methods and exclusive locks only, and occupies a connection for each holder.
     */
    @WithDefault("lease")
    JpaLockStrategy strategy();
}
