package io.quarkiverse.lock;

import java.time.Duration;

/**
 * A lock that this JVM holds.
 *
 * @param name the lock's name
 * @param fencingToken the holder's fencing token
 * @param heldFor for how long it has been held
 * @param validFor for how long it stays valid without another renewal; zero when it is not valid now
 */
public record HeldLock(String name, long fencingToken, Duration heldFor, Duration validFor) {
}
