package io.quarkiverse.lock;

import java.time.Duration;

/**
 * A lock that this JVM holds. Each holder has its own, even if several share a name.
 *
 * @param name the lock's name
 * @param fencingToken the holder's fencing token
 * @param mode whether it shares the name with others
 * @param limit how many holders the name may have at once; 0 for no such limit
 * @param heldFor how long it has been held
 * @param validFor how long it stays valid without another renewal; zero if it is not valid now
 */
public record HeldLock(String name, long fencingToken, LockMode mode, int limit, Duration heldFor, Duration validFor) {
}
