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
 * One store for one test, empty at the start or with a namespace that nobody used before. An engine over each of several of its
 * backends is what several JVMs are.
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
     * @param owner describes the JVM to people
     */
    LockBackend backend(String owner);

    /** A new client that the test can cut off. Unless overridden, the faults are made in front of the backend. */
    default Link.Linked linked(String owner) {
        var faulty = new FaultyBackend(backend(owner));
        return new Link.Linked(faulty, faulty);
    }

    /** Whether a client has all holds checked once it is connected. Tests that count renewals begin after that. */
    default boolean checksWhenConnected() {
        return false;
    }

    /** How the tests see the locks of an engine: as they are, unless its handles need something around them. */
    default LockManager manager(LockManager plain) {
        return plain;
    }

    /**
     * How many JVMs wait for the name, as this one sees it. A store without {@link Ability#LINE} does not say: its environment
     * counts them some other way, {@link WaitingClaims} for example, since many tests go on once somebody waits.
     */
    default int waiters(Jvm at, String name) {
        return at.locks().inspect(name).map(LockInfo::waiters).orElse(0);
    }

    /** So many locks can be held at once, for tests that want many. */
    default int manyLocks() {
        return 250;
    }

    /**
     * The part of the repetitions that this store gets, 1 for all of them. Where a backend does the same work with the same
     * code on several stores, one of them gets all and the others get less; a test always gets what it needs at least.
     */
    default double repetitions() {
        return 1;
    }

    /** How a list shows a name: as it is, unless the store keeps only the beginning of a long one. */
    default String listed(String name) {
        return name;
    }

    /** {@link Ability#DELETE_GRANT}: removes all that the store has of a name, as an administrator or an eviction does. */
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

    /** {@link Ability#RESTART_STORE}: the store ends and begins again, with its data; returns when it can be reached. */
    default void restartStore() {
        throw new UnsupportedOperationException();
    }

    /** {@link Ability#CHILD_JVMS}: how a JVM of its own makes a client of this very store. */
    default ChildBackend.Spec childBackend() {
        throw new UnsupportedOperationException();
    }

    /**
     * The event loops of the application that the clients were made in, a thread each: the tests block all of them. Empty for
     * clients that have nothing to do with any.
     */
    default List<Executor> eventLoops() {
        return List.of();
    }

    /** The store does not give away the lock of a holder that has been killed at once earlier than this. */
    default Duration earliestTakeover(Duration lease) {
        return lease.dividedBy(2);
    }

    /** A waiter has the lock of a holder that has been killed after this at the latest, on a slow machine. */
    default Duration latestTakeover(Duration lease) {
        return lease.plusSeconds(7);
    }

    /**
     * {@link Ability#LIST}: describes each live grant and each waiting claim that the store knows. What it keeps for a while to
     * raise fences or to refuse late requests does not count.
     */
    default List<String> leftovers() {
        return List.of();
    }

    /** Lets go of what {@link #backend} does not. */
    @Override
    void close() throws Exception;
}
