package io.quarkiverse.lock;

import java.time.Duration;

/**
 * A lock that this JVM holds. Each holder has one of its own, also those that share a name.
 *
 * @param name the lock's name
 * @param fencingToken the holder's fencing token
 * @param mode whether it shares the name with others
 * @param limit how many may hold the name together with it; 0 for no such limit
 * @param heldFor for how long it has been held
 * @param validFor for how long it stays valid without another renewal; zero when it is not valid now
 */
public record HeldLock(String name, long fencingToken, LockMode mode, int limit, Duration heldFor, Duration validFor) {
}
