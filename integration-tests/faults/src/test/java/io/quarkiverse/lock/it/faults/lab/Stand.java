package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.history.HistoryChecker;
import io.quarkiverse.lock.testkit.random.RandomLoad;

/** A store, with everything that the laboratory has to know about it. */
interface Stand extends AutoCloseable {

    /** Ordered from the hottest to the coldest. */
    List<String> NAMES = List.of("hot", "warm", "mild", "cool", "cold", "frozen");
    int THREADS = 4;
    Duration LONGEST_LEASE = Duration.ofSeconds(3);

    String name();

    /** Whether {@code after-failover=grace} is set, for the name of a stand and the arguments of its backend. */
    static String level(boolean grace) {
        return grace ? "grace" : "at-once";
    }

    /** A link to the store for one JVM. */
    StoreLink link();

    /** The backend of a JVM that uses this link. */
    ChildBackend.Spec backend(StoreLink link);

    /** An undisturbed backend in this JVM. */
    LockBackend operator();

    /** The deeds that can be done to every JVM and its link to this store. */
    default List<LabDeed> commonDeeds() {
        return CommonDeeds.ALL;
    }

    /** The deeds to the store itself, and from its side to JVMs. */
    List<LabDeed> deeds();

    /** How long its own deeds, and dead waiters, may keep it from handing out a free lock. */
    default HistoryChecker limits() {
        return HistoryChecker.STANDARD;
    }

    default RandomLoad load() {
        return new RandomLoad(NAMES, THREADS, LONGEST_LEASE, Duration.ZERO, 0);
    }

    /**
     * A request that is ready to wait this long gets the lock, whatever is done to the store, unless a JVM that is in trouble
     * itself has it. Empty where this does not hold.
     */
    default Optional<Duration> enough() {
        return Optional.empty();
    }

    /** The maximum time from the end of its lease until a dead holder's lock is granted. */
    default Duration latestTakeover() {
        return Duration.ofSeconds(2);
    }

    @Override
    void close();
}
