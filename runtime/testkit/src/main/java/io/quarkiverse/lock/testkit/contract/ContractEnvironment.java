package io.quarkiverse.lock.testkit.contract;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;

/**
 * One store for one test: empty at the start, or with a namespace that nobody has used before. Several JVMs are simulated by
 * one engine over each of several of its backends.
 */
public interface ContractEnvironment extends AutoCloseable {

    /** Names the list of skips: {@code /contract-skips/<name>.txt} on the class path. */
    String name();

    Set<Ability> abilities();

    /** What its {@linkplain LockBackend#features backends} can do. */
    default Set<Feature> features() {
        return EnumSet.allOf(Feature.class);
    }

    /**
     * A new client of the store, not started; its engine closes it.
     *
     * @param owner a human-readable description of the JVM
     */
    LockBackend backend(String owner);

    /** A new client that the test can cut off. Unless overridden, the faults are simulated in front of the backend. */
    default Link.Linked linked(String owner) {
        var faulty = new FaultyBackend(backend(owner));
        return new Link.Linked(faulty, faulty);
    }

    /** Whether a client rechecks all holds once it is connected. Tests that count renewals start after that. */
    default boolean checksWhenConnected() {
        return false;
    }

    /** How the tests see the locks of an engine: unchanged, unless its handles need a wrapper. */
    default LockManager manager(LockManager plain) {
        return plain;
    }

    /**
     * How many JVMs wait for the name, as seen by this one. A store without {@link Ability#LINE} does not say. Its environment
     * counts them in another way, such as {@link WaitingClaims}, since many tests continue once somebody waits.
     */
    default int waiters(Jvm at, String name) {
        return at.locks().inspect(name).map(LockInfo::waiters).orElse(0);
    }

    /** How many locks can be held at once, for tests that want many. */
    default int manyLocks() {
        return 250;
    }

    /**
     * The share of the repetitions that this store gets, 1 for all of them. Where a backend does the same work with the same
     * code on several stores, one of them gets all and the others get less. A test always gets the minimum it needs.
     */
    default double repetitions() {
        return 1;
    }

    /** How a list shows a name: unchanged, unless the store keeps only the beginning of a long one. */
    default String listed(String name) {
        return name;
    }

    /**
     * {@link Ability#DELETE_GRANT}: removes everything that the store has for a name, as an administrator or an eviction does.
     */
    default void deleteGrant(String name) {
        throw new UnsupportedOperationException();
    }

    /** {@link Ability#LOSE_DATA}: the store forgets everything. */
    default void loseAllData() {
        throw new UnsupportedOperationException();
    }

    /** {@link Ability#PAUSE_STORE}: the store hangs. */
    default void pauseStore() {
        throw new UnsupportedOperationException();
    }

    /** Ends {@link #pauseStore}. */
    default void resumeStore() {
        throw new UnsupportedOperationException();
    }

    /** {@link Ability#RESTART_STORE}: stops the store and starts it again with its data; returns when it can be reached. */
    default void restartStore() {
        throw new UnsupportedOperationException();
    }

    /** {@link Ability#CHILD_JVMS}: how a separate JVM creates a client of this very store. */
    default ChildBackend.Spec childBackend() {
        throw new UnsupportedOperationException();
    }

    /**
     * The event loops of the application in which the clients were created, one thread each; the tests block all of them. Empty
     * for clients that do not use any.
     */
    default List<Executor> eventLoops() {
        return List.of();
    }

    /** If a holder is killed as soon as it has the lock, the store keeps the lock for at least this long. */
    default Duration earliestTakeover(Duration lease) {
        return lease.dividedBy(2);
    }

    /** A waiter has the lock of a killed holder after this time at the latest, even on a slow machine. */
    default Duration latestTakeover(Duration lease) {
        return lease.plusSeconds(7);
    }

    /**
     * {@link Ability#LIST}: describes each live grant and each waiting claim that the store knows. Data that it keeps for a
     * while to raise fences or to refuse late requests does not count.
     */
    default List<String> leftovers() {
        return List.of();
    }

    /** Releases what {@link #backend} does not close. */
    @Override
    void close() throws Exception;
}
