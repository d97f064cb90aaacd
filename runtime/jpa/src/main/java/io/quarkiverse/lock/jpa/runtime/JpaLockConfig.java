package io.quarkiverse.lock.jpa.runtime;

import java.time.Duration;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/** Locks in a relational database. */
@ConfigMapping(prefix = "quarkus.lock.jpa")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface JpaLockConfig {

    /**
     * Whether the application creates the tables if they are not there, when it starts. Several instances may do so at once. It
     * needs the permission to create tables; otherwise let a migration do it.
     */
    @WithDefault("false")
    boolean createTable();

    /**
     * Whether JVMs that wait for a lock are told through the database when it is their turn, with one connection more for each
     * JVM that has ever waited, or kept one that nobody held, outside the pool. On PostgreSQL only; all others look at it every
     * 5 to 100 ms. Turn it off for a connection pooler that does not pass LISTEN on, such as PgBouncer in transaction mode.
     */
    @WithDefault("true")
    boolean listen();

    /**
     * How long one operation takes at most: what a claim that does not wait, a renewal or a release waits for the database
     * and for a connection of the pool.
     */
    @WithDefault("5s")
    Duration operationTimeout();

    /**
     * How many connections of the pool locks use at the same time at most, for one statement or short transaction each.
     * Never more than the pool has. Renewals have a connection of their own, outside the pool.
     */
    @WithDefault("8")
    int threads();

    /**
     * What happens after a database may have lost grants: by a restored backup, a fail-over to a replica that lags behind, or
     * deleted rows. At once, or after a grace in which nobody is granted a lock and those who hold one keep it. All
     * applications with the same tables have to agree. On PostgreSQL with {@code quarkus.lock.jpa.strategy=lease} only.
     */
    @WithDefault("at-once")
    AfterFailover afterFailover();

    /**
     * With {@code quarkus.lock.jpa.after-failover=grace}, the longest lease of any lock in these tables, in all applications: a
     * grace lasts that long, and a little longer. A longer lease is refused, and so is a longer time for which a name is to
     * stay taken.
     */
    @WithDefault("30s")
    Duration longestLease();

    /** What happens after a database may have lost grants. */
    enum AfterFailover {
        /** Locks are granted at once: also one that somebody holds, who does not know yet that the grant is lost. */
        AT_ONCE,
        /** No lock is granted until the longest lease is over. Holders say meanwhile what they have, and keep it. */
        GRACE
    }

    /** Rows of names that were not locked for so long are deleted, in batches and in the background; 0 keeps them for ever. */
    @WithDefault("7d")
    Duration purgeAfter();
}
