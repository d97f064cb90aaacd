package io.quarkiverse.lock.runtime.config;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;

/** Locks: what can change each time the application starts. */
@ConfigMapping(prefix = "quarkus.lock")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface LockRuntimeConfig {

    /**
     * Whether locks take effect. {@code false} is for emergencies: every method runs, and every handle is granted, at once
     * and without a lock; the backend is not used, and there are no fencing tokens.
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * Separates the locks of this application from those of others in the same store. The namespace is part of each lock's
     * name there. Applications that must exclude each other need the same one. By default, each application has its own.
     */
    @ConfigDocDefault("quarkus.application.name, or quarkus-lock where there is none")
    Optional<String> namespace();

    /** How long to wait for a lock. Zero asks once. */
    @WithName("wait")
    @WithDefault("10s")
    Duration waitFor();

    /**
     * How long the backend keeps a lock whose holder no longer renews it. This is how long others wait for a holder that
     * died. Between 1 second and 24 hours.
     */
    @WithDefault("30s")
    Duration lease();

    /** Whether leases are renewed while the lock is held. */
    @WithDefault("true")
    boolean renew();

    /** The longest time for which a lease is renewed. If not set, as long as the lock is held. */
    Optional<Duration> maxHold();

    /**
     * How long a JVM keeps a lock that has no holder and no waiters, so that its own next caller need not ask the backend.
     * A caller that waits in another JVM ends this at once; if the backend cannot report waiters, it gets the lock within this
     * time, and if the report is lost, within this time or a second, whichever is longer. A caller that does not wait finds the
     * lock busy. At most half of the lease. If not set, a lock is released when its last holder finishes.
     */
    Optional<Duration> linger();

    /**
     * How much earlier than the backend a holder considers its lease ended. At least 50 ms, and at most half of the lease.
     * Where code asks for a lease that is shorter than two margins, as with {@code LockOptions}, the margin is half of that.
     * At least a thousandth of each lease in any case, since clocks run at different rates.
     */
    @ConfigDocDefault("a tenth of the lease, at most 2s, at least a thousandth")
    Optional<Duration> margin();

    /**
     * What happens to a running method whose lock is lost: {@code fail} makes the call fail, {@code interrupt} also
     * interrupts the thread of a blocking method, {@code notify} lets the method continue.
     */
    @WithDefault("fail")
    LostLock onLost();

    /**
     * How long a lock may be handed on inside this JVM while other JVMs wait for it, or might wait without this JVM
     * knowing.
     */
    @ConfigDocDefault("5ms")
    Optional<Duration> slice();

    /**
     * How long nobody is granted a lock whose lease has ended without a release: the holder may not have noticed or stopped
     * yet. The delay ends early once the holder has noticed and finished. A release in time, or a forced release, frees the
     * lock at once. At most 24 hours; not on every backend.
     */
    @ConfigDocDefault("no delay")
    Optional<Duration> afterLossDelay();

    /**
     * The value that all fencing tokens exceed. When locks move to a backend with lower tokens, such as from Redis or a
     * database to ZooKeeper, set it to the highest token that the previous backend handed out. At most 2<sup>62</sup>. Must
     * be the same in all applications that share locks, and must never be lowered.
     */
    @WithDefault("0")
    long fencingFloor();

    /** Describes this JVM to people who check who holds a lock. */
    @ConfigDocDefault("host name, process id and application name")
    Optional<String> owner();

    /**
     * What happens when a {@code @Locked} method is called while a transaction is already active. The lock then belongs to
     * that transaction, but data that the transaction has already read may be older than the lock: {@code warn} logs that
     * once per lock template, {@code join} does not, {@code fail} refuses the call. A lock never belongs to a Hibernate
     * Reactive transaction: there {@code join} is the same as {@code warn}. Locks taken through a {@code LockManager} are
     * not affected.
     */
    @WithDefault("warn")
    ActiveTransaction activeTransaction();

    /**
     * Whether to detect deadlocks. If callers have waited for each other's locks for 300 ms, the one with the shortest wait,
     * or the last to start waiting if several are equally short, fails with a {@code LockDeadlockException}, so that the
     * others continue. If a {@code LockHandle} is involved, there is only a warning. In development and tests, a warning
     * also names locks that are taken in opposite orders, with both stack traces. {@code false} turns off both.
     */
    @WithDefault("true")
    boolean deadlockDetection();

    /** Lock traces. */
    Traces traces();

    /** Lock traces. */
    interface Traces {

        /**
         * Whether spans contain the name of the lock, and texts that include it. Names may contain data not meant for
         * everybody who sees traces, and every lock has a different one. The template is always included.
         */
        @WithDefault("false")
        boolean names();
    }

    /** JVM flight recordings. */
    Jfr jfr();

    /** JVM flight recordings. */
    interface Jfr {

        /** Waits and holds shorter than this produce no event in flight recordings. Losses always do. */
        @WithDefault("20ms")
        Duration threshold();
    }

    /**
     * Overrides for individual {@code @Locked} methods, set by operators. The key is the template as written in the
     * annotation, in double quotes; without one, class and method: {@code com.example.Reports.nightly}. For
     * {@code @Locked(id = "pay")}, the id is also a key. It takes precedence over the template, and unlike a template it can
     * be written in an environment variable: {@code QUARKUS_LOCK_OVERRIDES_PAY_WAIT}. Overrides take precedence over the
     * annotation.
     */
    @ConfigDocMapKey("id-or-template")
    Map<String, Override> overrides();

    /** What replaces the values of the annotation. */
    interface Override {

        /** How long to wait for the lock. */
        @WithName("wait")
        Optional<Duration> waitFor();

        /** How long the backend keeps the lock when it is no longer renewed. */
        Optional<Duration> lease();

        /** Whether the lease is renewed while the lock is held. */
        Optional<Boolean> renew();

        /** The longest time for which the lease is renewed. */
        Optional<Duration> maxHold();

        /** How long after the grant the name stays taken, even if the method ends sooner. */
        Optional<Duration> holdAtLeast();

        /** How long a JVM keeps the lock when it has no holder and no waiters. */
        Optional<Duration> linger();

        /** What happens to the running method when its lock is lost. */
        Optional<LostLock> onLost();
    }

    /** Additional lock managers, injected with {@code @LockManagerName}. */
    @ConfigDocMapKey("manager-name")
    Map<String, Manager> managers();

    /** Where an additional lock manager differs from the default one. */
    interface Manager {

        /** How long to wait for a lock. Defaults to the default manager's value. */
        @WithName("wait")
        Optional<Duration> waitFor();

        /** How long the backend keeps a lock that is no longer renewed. Defaults to the default manager's value. */
        Optional<Duration> lease();

        /** Whether leases are renewed while the lock is held. Defaults to the default manager's value. */
        Optional<Boolean> renew();

        /** The longest time for which a lease is renewed. Defaults to the default manager's value. */
        Optional<Duration> maxHold();

        /** How long a JVM keeps a lock that has no holder. Defaults to the default manager's value. */
        Optional<Duration> linger();

        /** What happens to a running method whose lock is lost. Defaults to the default manager's value. */
        Optional<LostLock> onLost();
    }
}
