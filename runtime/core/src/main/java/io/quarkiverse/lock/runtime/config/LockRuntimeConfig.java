package io.quarkiverse.lock.runtime.config;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.lock.Locked.OnLost;
import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;

/** Locks: what can differ each time the application starts. */
@ConfigMapping(prefix = "quarkus.lock")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface LockRuntimeConfig {

    /**
     * Whether locks lock. {@code false} is for emergencies: every method runs, and every handle is there, at once and without a
     * lock; the backend is not used, and there are no fencing tokens.
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * Keeps the locks of this application apart from those of others in the same store: it is part of the name of each lock
     * there. Applications that are to exclude each other set the same one. By default each application has its own.
     */
    @ConfigDocDefault("quarkus.application.name, or quarkus-lock where there is none")
    Optional<String> namespace();

    /** How long to wait for a lock. Zero: ask once. */
    @WithName("wait")
    @WithDefault("10s")
    Duration waitFor();

    /**
     * How long the backend keeps a lock for a holder that no longer renews it: the time others wait for a holder that died.
     * Between 1 second and 24 hours.
     */
    @WithDefault("30s")
    Duration lease();

    /** Whether leases are renewed while the lock is held. */
    @WithDefault("true")
    boolean renew();

    /** For how long a lease is renewed at most. Not set: for as long as the lock is held. */
    Optional<Duration> maxHold();

    /**
     * For how long a JVM keeps a lock that nobody holds any more while nobody waits for it, so that its own next caller need
     * not ask the backend. Whoever asks elsewhere ends that at once, or within this time where the backend cannot tell. At most
     * half of the lease. Not set: a lock is given back when its last holder has finished.
     */
    Optional<Duration> linger();

    /** How much earlier than the backend a holder considers its lease ended. Must be shorter than the lease. */
    @ConfigDocDefault("a tenth of the lease, at most 2s")
    Optional<Duration> margin();

    /**
     * What happens to a running method whose lock is lost: {@code fail} makes the call fail, {@code interrupt} also interrupts
     * the thread of a blocking one, {@code notify} lets it go on.
     */
    @WithDefault("fail")
    OnLost onLost();

    /**
     * For how long a lock is handed on inside this JVM while other JVMs wait for it, or might wait without this one being told.
     */
    @ConfigDocDefault("5ms")
    Optional<Duration> slice();

    /**
     * For how long nobody gets a lock whose lease has ended without a release: the holder may not have noticed yet, or not have
     * stopped. A holder that has noticed and ended makes the lock free earlier; one that releases in time, or by force, at
     * once. At most 24 hours; not on every backend.
     */
    @ConfigDocDefault("no delay")
    Optional<Duration> afterLossDelay();

    /**
     * All fencing tokens are above it. For locks that move to a backend whose tokens are lower than those of the one before, as
     * from Redis or a database to ZooKeeper: the highest token that was handed out there. At most 2<sup>62</sup>. The same in
     * all applications that share locks, and never lowered again.
     */
    @WithDefault("0")
    long fencingFloor();

    /** Describes this JVM to people who look at who holds a lock. */
    @ConfigDocDefault("host name, process id and application name")
    Optional<String> owner();

    /**
     * What happens when a lock is taken while a transaction is already active. The lock then belongs to the transaction, and
     * data read in it before may be older than the lock: {@code warn} says so once per lock template, {@code join} does not,
     * {@code fail} refuses the call. A lock never belongs to one of Hibernate Reactive: there {@code join} is the same as
     * {@code warn}.
     */
    @WithDefault("warn")
    ActiveTransaction activeTransaction();

    /**
     * Whether somebody looks for callers that wait for each other. Of those that have waited for 300 ms and can wait for
     * nothing
     * else, the one with the shortest wait, or the last to wait, fails with a {@code LockDeadlockException}. In development and
     * tests a warning names locks that are taken in opposite orders, with the stack traces of both. {@code off} for nothing of
     * that.
     */
    @WithDefault("true")
    boolean deadlockDetection();

    /** Traces of locks. */
    Traces traces();

    /** Traces of locks. */
    interface Traces {

        /**
         * Whether spans have the name of the lock, and texts in which it occurs. Names may hold what is not for everybody who
         * sees traces, and every lock has another one; the template is there in any case.
         */
        @WithDefault("false")
        boolean names();
    }

    /** Flight recordings of the JVM. */
    Jfr jfr();

    /** Flight recordings of the JVM. */
    interface Jfr {

        /** How long a wait or a hold lasts at least that is an event in flight recordings. Losses always are. */
        @WithDefault("20ms")
        Duration threshold();
    }

    /**
     * What operators change for single {@code @Locked} methods. The key is the template as written in the annotation, in double
     * quotes; without one, class and method: {@code com.example.Reports.nightly}. For {@code @Locked(id = "pay")} it is also
     * the id, which comes first, and which environment variables can spell: {@code QUARKUS_LOCK_OVERRIDES_PAY_WAIT}. What is
     * said here comes before what the annotation says.
     */
    @ConfigDocMapKey("id-or-template")
    Map<String, Override> overrides();

    /** What is otherwise than the annotation says. */
    interface Override {

        /** How long to wait for the lock. */
        @WithName("wait")
        Optional<Duration> waitFor();

        /** How long the backend keeps the lock when it is no longer renewed. */
        Optional<Duration> lease();

        /** Whether the lease is renewed while the lock is held. */
        Optional<Boolean> renew();

        /** For how long the lease is renewed at most. */
        Optional<Duration> maxHold();

        /** For how long from the grant the name stays taken even when the method ends sooner. */
        Optional<Duration> holdAtLeast();

        /** For how long a JVM keeps the lock when nobody holds it any more and nobody waits. */
        Optional<Duration> linger();

        /** What happens to the running method when its lock is lost. */
        Optional<OnLost> onLost();
    }

    /** Further lock managers, injected with {@code @LockManagerName}. */
    @ConfigDocMapKey("manager-name")
    Map<String, Manager> managers();

    /** What a further lock manager does otherwise than the default one. */
    interface Manager {

        /** How long to wait for a lock. By default as the default manager. */
        @WithName("wait")
        Optional<Duration> waitFor();

        /** How long the backend keeps a lock that is no longer renewed. By default as the default manager. */
        Optional<Duration> lease();

        /** Whether leases are renewed while the lock is held. By default as the default manager. */
        Optional<Boolean> renew();

        /** For how long a lease is renewed at most. By default as the default manager. */
        Optional<Duration> maxHold();

        /** For how long a JVM keeps a lock that nobody holds any more. By default as the default manager. */
        Optional<Duration> linger();

        /** What happens to a running method whose lock is lost. By default as the default manager. */
        Optional<OnLost> onLost();
    }
}
