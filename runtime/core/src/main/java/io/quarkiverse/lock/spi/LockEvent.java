package io.quarkiverse.lock.spi;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a lock in this JVM.
 *
 * @param kind what happened
 * @param name the lock's name
 * @param template the template the name was made from, bounded in number; {@code null} for a lock taken through a
 *        {@code LockManager}
 * @param fencingToken the hold's fencing token; 0 if there is none yet
 * @param nanos how long: the wait for {@code GRANTED}, {@code BATON}, {@code BUSY} and {@code FAILED}, the hold for
 *        {@code SUSPECT}, {@code LOST}, {@code RELEASE_REQUESTED}, {@code RELEASED} and {@code RELEASED_LATE}, else 0. The hold
 *        of a lock that lives in a transaction begins when the database has granted it
 * @param reason for {@code BUSY}, {@code FAILED}, {@code SUSPECT}, {@code LOST} and {@code RETRIED}
 * @param backend the name of the backend that keeps the lock
 * @param manager the name of the manager used to take it; {@value #DEFAULT_MANAGER} for the default one
 */
public record LockEvent(Kind kind, String name, @Nullable String template, long fencingToken, long nanos,
        @Nullable String reason, String backend, String manager) {

    /** The name of the default manager. */
    public static final String DEFAULT_MANAGER = "<default>";

    /** An event of the default manager on the backend {@code local}, for tests of listeners. */
    public LockEvent(Kind kind, String name, @Nullable String template, long fencingToken, long nanos,
            @Nullable String reason) {
        this(kind, name, template, fencingToken, nanos, reason, "local", DEFAULT_MANAGER);
    }

    /** The kinds of events. */
    public enum Kind {
        /** A caller asked for the lock. */
        REQUESTED,
        /**
         * A caller got it from the backend; or, without a wait, beside another reader in this JVM, or because this JVM had kept
         * it: then the backend was not asked.
         */
        GRANTED,
        /** A caller got it inside this JVM after a wait, from the previous caller or, as a reader, beside another reader. */
        BATON,
        /** A wait ended without the lock. */
        BUSY,
        /**
         * A wait ended without an answer: the backend failed, or the application stops; or, for a lock that lives in a
         * transaction, the transaction ended, as by a deadlock in the database.
         */
        FAILED,
        /** A renewal had no answer, or the backend cannot be reached: valid until the deadline, unless confirmed. */
        SUSPECT,
        /** A hold was lost. */
        LOST,
        /** Somebody asks for a lock held here, or the application that holds it is stopping. */
        RELEASE_REQUESTED,
        /** A hold was given back. */
        RELEASED,
        /** A hold was given back after the first attempt had failed. */
        RELEASED_LATE,
        /** A renewal or release is retried. */
        RETRIED
    }
}
