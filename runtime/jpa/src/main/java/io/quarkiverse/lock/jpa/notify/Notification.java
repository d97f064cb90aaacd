package io.quarkiverse.lock.jpa.notify;

/**
 * News for a JVM about a claim or grant that may be its own.
 *
 * @param token the token of the claim or grant
 * @param fence the grant's fence, where that matters
 */
public record Notification(Kind kind, String token, long fence) {

    /** What has happened. */
    public enum Kind {
        /** The lock is free, and this claim is first in line. */
        TURN,
        /** Somebody waits for what this grant holds. */
        WAITED,
        /** The grant was ended by force. */
        LOST,
        /** Somebody requests the release of the grant. */
        ASKED,
        /** From now on notifications arrive; earlier ones reached nobody. */
        LISTENING,
        /** Notifications for anyone may have been missed. */
        MISSED
    }
}
