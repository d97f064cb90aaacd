package io.quarkiverse.lock;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;

/**
 * Runs a method of a CDI bean while a distributed lock is held: of all calls in the cluster that name the same lock, one runs
 * at a time.
 *
 * <pre>{@code
 * &#64;Locked("order-{order.id}")
 * Receipt pay(Order order) { ... }
 * }</pre>
 *
 * <b>When it is held.</b> The lock is taken before {@code @Transactional} begins and given back after the commit. A method that
 * returns a {@code Uni} or {@code Multi} takes it anew with each subscription, and holds it until the result ends or is
 * cancelled. One that returns a {@code CompletionStage} holds it until the stage that the method itself has returned completes;
 * cancelling the stage that the caller gets affects neither the lock nor the method's stage. If a transaction is already
 * active, the lock belongs to that transaction and is given back once it has ended.
 * <p>
 * <b>Nesting.</b> A call inside the method for a lock that is already held there goes through: on the same thread for blocking
 * code, in the same pipeline for a {@code Uni} or {@code Multi}. It runs under the options of the outermost call, which has
 * taken the lock: its own {@link #waitFor}, {@link #lease}, {@link #renew}, {@link #maxHold}, {@link #holdAtLeast},
 * {@link #linger}, {@link #onBusy}, {@link #onLost} and {@link #release} are ignored. Only {@link #mode} and {@link #limit} are
 * checked: if the outer lock does not cover them, the call fails with {@link IllegalStateException}. A nested call fails with
 * {@link LockLostException} at its own end, as the outer one does.
 * <p>
 * <b>Failure.</b> The call fails with {@link LockBusyException} when the wait is over (see {@link #onBusy}), with
 * {@link LockLostException} when the lock was lost before the method ended (see {@link #onLost}), with
 * {@link LockInterruptedException} when the thread is interrupted while it waits or was interrupted before, and with
 * {@link LockBackendException} when the backend cannot be reached. A blocking method called on an event loop is refused. A
 * method declared as {@code Object} or similar that returns a {@code Uni} or other asynchronous work, or whose {@code Uni} or
 * {@code CompletionStage} has such work as its item, fails with {@link IllegalStateException}.
 * <p>
 * <b>Where.</b> On methods of beans that the container intercepts, and on their classes. Anywhere else it would lock nothing,
 * so the build fails: on interface methods, on methods that a bean overrides, on {@code @PostConstruct} methods, and on entity
 * methods.
 * <p>
 * Unset members take their value from the configuration ({@code quarkus.lock.*}). Names, durations and {@link #renew} may be
 * property expressions, which are resolved when the application starts: {@code "${my.wait:5s}"}. Durations are written as for
 * {@code @Scheduled}: {@code 10s}, {@code 2m}, {@code PT1H}, {@code 500ms}; a bare number means seconds. An annotation on the
 * method entirely replaces the one on its class.
 */
@InterceptorBinding
@Inherited
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
public @interface Locked {

    /**
     * The name of the lock, a template over the method's parameters: {@code "order-{order.id}"}. A part in braces is a
     * parameter, followed by any number of properties (getter, record component or public field). It is checked and compiled
     * when the application is built: types whose text differs from JVM to JVM are refused, such as classes without a
     * {@code toString()}, lists of these, and {@code Date}. If a part turns out to be {@code null} or such a value at run time,
     * the call fails with an {@link IllegalArgumentException}. In a template of several parts each part is escaped, so that no
     * two argument lists give the same name; {@link LockManager#nameOf} makes it elsewhere. Without a template, the name is
     * {@code Class.method}, with the class's full name.
     * <p>
     * Several templates are several locks, of which all or none are held: {@code {"account-{from}", "account-{to}"}}. They are
     * taken in a fixed order, whatever the order here and the caller, and a name that occurs twice counts once; the wait is for
     * all of them together. If one is lost while others are waited for, the call starts over.
     */
    @Nonbinding
    String[] value() default {};

    /**
     * The name by which operators refer to this lock: {@code quarkus.lock.overrides.pay.*} changes the one with the id
     * {@code "pay"}, and so do environment variables, which cannot spell a template:
     * {@code QUARKUS_LOCK_OVERRIDES_PAY_WAIT=2s}. The lock's name does not change. An id is a lower-case letter, followed by
     * lower-case letters and digits. No other template of the application may have the same id, or be the same text; this is
     * checked when the application is built. Without an id, the template is the only key.
     */
    @Nonbinding
    String id() default "";

    /**
     * {@link LockMode#SHARED}: runs together with all other calls that share the lock, but never with an exclusive one;
     * exclusive waiters are let in before callers that come later. Inside an exclusive call, a shared one of the same name goes
     * through; the reverse is an {@link IllegalStateException}, since it would wait for itself.
     */
    @Nonbinding
    LockMode mode() default LockMode.EXCLUSIVE;

    /**
     * At most this many calls at once in the whole cluster; 0 for no such limit. Each has its own lease, loss and fencing
     * token; the token distinguishes them and does not order them. While nodes disagree, as during a rolling deployment, the
     * smallest limit among the current holders counts. Not together with {@link LockMode#SHARED}.
     */
    @Nonbinding
    int limit() default 0;

    /** How long to wait for the lock. {@code "0"}: do not wait. Default: {@code quarkus.lock.wait}. */
    @Nonbinding
    String waitFor() default "";

    /**
     * How long the backend keeps the lock for a holder that no longer renews it: the time others wait for a holder that died.
     * Between 1 second and 24 hours. Default: {@code quarkus.lock.lease}. Not on ZooKeeper, whose locks end with the session,
     * nor with {@code quarkus.lock.jpa.strategy=pessimistic}: setting it there is a build error.
     */
    @Nonbinding
    String lease() default "";

    /**
     * {@code "true"} to renew the lease as long as the method runs, {@code "false"} to let it end. Default:
     * {@code quarkus.lock.renew}.
     */
    @Nonbinding
    String renew() default "";

    /**
     * The maximum time for which the lease is renewed, counted from the start of the method; after that, the lock is lost at
     * the end of the lease. Default: {@code quarkus.lock.max-hold}, without which there is no limit. It has no effect if the
     * configuration switches renewal off. Beside {@code renew = "false"} in the same annotation it is an error when the
     * application is built, which looks at the annotation alone, or, with expressions, when it starts.
     */
    @Nonbinding
    String maxHold() default "";

    /**
     * How long from the grant, with several names from that of the last one, the name stays taken, even if the method ends
     * sooner: with {@code @Scheduled} and {@code waitFor = "0"}, nodes whose clocks differ by less run the method once. The
     * first lease is at least as long, and keeps the name taken at the backend: neither the end of the method nor that of the
     * JVM frees it earlier. At most 24 hours; not on every backend, and not with {@link LockMode#SHARED} or a {@link #limit}:
     * only an exclusive holder can keep a name.
     */
    @Nonbinding
    String holdAtLeast() default "";

    /**
     * How long this JVM keeps the lock after the method has ended, as long as nobody waits, so that the next call here need not
     * ask the backend. For example {@code "200ms"}; {@code "0"} for not at all. A caller that waits in another JVM ends this at
     * once; if the backend cannot report waiters, it gets the lock within this time, and if the report is lost, within this
     * time or a second, whichever is longer. A caller that does not wait finds the lock busy. At most half of the lease.
     * Default: {@code quarkus.lock.linger}, without which nothing is kept.
     */
    @Nonbinding
    String linger() default "";

    /** What the call does when the lock is still busy at the end of the wait. */
    @Nonbinding
    OnBusy onBusy() default OnBusy.FAIL;

    /**
     * With {@link OnBusy#FALLBACK}: the name of the method to call instead, in the same class or one of its parents. It has the
     * same parameters, optionally followed by the {@link LockBusyException}, and the same return type with the same type
     * arguments; this is checked when the application is built. With several names, none is held when it runs.
     */
    @Nonbinding
    String fallbackMethod() default "";

    /** What happens to a running method whose lock is lost. */
    @Nonbinding
    OnLost onLost() default OnLost.DEFAULT;

    /** When the lock is given back. */
    @Nonbinding
    Release release() default Release.AFTER_TRANSACTION;

    /**
     * The name of the {@link LockManager}, see {@link LockManagerName}. Empty: the default one. May be a property expression,
     * which is resolved when the application is built: the value it has then applies wherever the application runs.
     */
    @Nonbinding
    String manager() default "";

    /** What a {@link Locked} call does when the lock is still busy at the end of the wait. */
    enum OnBusy {
        /** Fails with {@link LockBusyException}. */
        FAIL,
        /**
         * Does not run the method. The call returns nothing: {@code void}, an empty {@code Optional}, {@code null}, or a
         * {@code Uni} or {@code CompletionStage} of {@code null}, a {@code Multi} without items. Methods that return a
         * primitive are refused at build time. A call during shutdown, when locks are no longer taken, is also skipped.
         */
        SKIP,
        /**
         * Calls the {@link #fallbackMethod}, without the lock, and returns its result. It has its own annotations, and is not
         * part of a transaction that the method would have begun.
         */
        FALLBACK
    }

    /** What happens to a running {@link Locked} method whose lock is lost. */
    enum OnLost {
        /** As configured by {@code quarkus.lock.on-lost}. */
        DEFAULT,
        /**
         * A {@code Uni}, {@code Multi} or {@code CompletionStage} fails with {@link LockLostException} at once, a
         * blocking method at its end. The method's transaction is rolled back, and so is any other that is begun on its
         * thread under the lock, unless it was committed before the loss.
         */
        FAIL,
        /**
         * Like {@link #FAIL}, and the thread of a blocking method is interrupted at once. If the method ends with an
         * {@link InterruptedException} because of that, the caller gets the {@link LockLostException} instead.
         */
        INTERRUPT,
        /**
         * The method continues and its result counts; only {@code LockHandle.onLost} callbacks and the CDI event report the
         * loss.
         */
        NOTIFY
    }

    /** When a {@link Locked} method gives its lock back. */
    enum Release {
        /** At the end of the method, or of a transaction that was active when it was called, whichever is later. */
        AFTER_TRANSACTION,
        /** At the end of the method, even when an active transaction has not committed yet. */
        ON_RETURN
    }
}
