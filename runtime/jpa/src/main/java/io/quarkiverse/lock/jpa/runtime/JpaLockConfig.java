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
     * Whether the application creates missing tables when it starts. Several instances may do so at once. This needs
     * permission to create tables, and a database that can be reached; otherwise, let a migration create them. Hibernate
     * does not validate these tables then: it would look for them before they are created.
     */
    @WithDefault("false")
    boolean createTable();

    /**
     * Whether this JVM listens to what the database notifies it of, such as its turn. It opens one more connection for
     * that, outside the pool, once it waits for a lock, shares one, keeps one without a holder, or has callers that wait
     * for one it holds. On PostgreSQL only; otherwise, waiting JVMs poll, every 5 to 50 ms near the head of the line.
     * Turn it off for a connection pooler that does not pass LISTEN on, such as PgBouncer in transaction mode. Others are
     * notified in any case.
     */
    @WithDefault("true")
    boolean listen();

    /**
     * The longest time for one operation: how long a claim that does not wait, a renewal or a release waits for the
     * database and a pool connection.
     */
    @WithDefault("5s")
    Duration operationTimeout();

    /**
     * How many connections of the pool locks may use at the same time, each for one statement or short transaction. Never
     * more than the pool has. Renewals use a connection of their own, outside the pool.
     */
    @WithDefault("8")
    int threads();

    /**
     * When locks are granted again after a database may have lost grants, through a restored backup, a fail-over to a
     * replica that lags behind, or deleted rows: at once, or after a grace, during which no lock is granted and holders
     * keep theirs. All applications with the same tables must agree. On PostgreSQL with
     * {@code quarkus.lock.jpa.strategy=lease} only.
     */
    @WithDefault("at-once")
    AfterFailover afterFailover();

    /**
     * With {@code quarkus.lock.jpa.after-failover=grace}, the longest lease of any lock in these tables, across all
     * applications. A grace lasts slightly longer than this. A longer lease is refused, and so is a longer
     * {@code holdAtLeast}.
     */
    @WithDefault("30s")
    Duration longestLease();

    /** When locks are granted again after a database may have lost grants. */
    enum AfterFailover {
        /** Locks are granted at once, even one whose holder does not know yet that its grant is lost. */
        AT_ONCE,
        /** No lock is granted until the longest lease is over. Meanwhile, holders report their grants and keep them. */
        GRACE
    }

    /**
     * How long rows of names that are no longer locked are kept. They are then deleted, in batches and in the background; 0
     * keeps them forever.
     */
    @WithDefault("7d")
    Duration purgeAfter();
}
