package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.random.RandomLoad;

/** A store with all that the laboratory has to know about it. */
interface Stand extends AutoCloseable {

    /** The hottest first. */
    List<String> NAMES = List.of("hot", "warm", "mild", "cool", "cold", "frozen");
    int THREADS = 4;
    Duration LONGEST_LEASE = Duration.ofSeconds(3);

    String name();

    /** With {@code after-failover=grace} or without, for the name of a stand and the arguments of its backend. */
    static String level(boolean grace) {
        return grace ? "grace" : "at-once";
    }

    /** A way to the store for one JVM. */
    StoreLink link();

    /** The backend of a JVM that goes this way. */
    ChildBackend.Spec backend(StoreLink link);

    /** A backend in this JVM, to which nothing is done. */
    LockBackend operator();

    /** What can be done to every JVM and its way to this store. */
    default List<LabDeed> commonDeeds() {
        return CommonDeeds.ALL;
    }

    /** What can be done to the store itself, and to JVMs from its side. */
    List<LabDeed> deeds();

    /** How long its own deeds, and dead waiters, may keep it from handing out a lock that is free. */
    default HistoryChecker limits() {
        return HistoryChecker.STANDARD;
    }

    default RandomLoad load() {
        return new RandomLoad(NAMES, THREADS, LONGEST_LEASE, Duration.ZERO, 0);
    }

    /**
     * Who is ready to wait for so long gets the lock, whatever is done to the store, unless a JVM that is in trouble itself has
     * it; empty where that is not so.
     */
    default Optional<Duration> enough() {
        return Optional.empty();
    }

    /** How much later than the end of its lease a dead holder's lock may be granted at the latest. */
    default Duration latestTakeover() {
        return Duration.ofSeconds(2);
    }

    @Override
    void close();
}
