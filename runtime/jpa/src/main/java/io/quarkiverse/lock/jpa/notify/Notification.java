package io.quarkiverse.lock.jpa.notify;

/**
 * What a JVM learns about the claims and grants that may be its own.
 *
 * @param token whose
 * @param fence of which grant, where that matters
 */
public record Notification(Kind kind, String token, long fence) {

    /** What has happened. */
    public enum Kind {
        /** The lock is free, and this claim is the first. */
        TURN,
        /** Somebody waits for what this grant holds. */
        WAITED,
        /** The grant was ended by force. */
        LOST,
        /** Somebody asks for the release of the grant. */
        ASKED,
        /** Notifications arrive from now on: those of before were sent to nobody. */
        LISTENING,
        /** Notifications may have been missed: of anybody. */
        MISSED
    }
}
