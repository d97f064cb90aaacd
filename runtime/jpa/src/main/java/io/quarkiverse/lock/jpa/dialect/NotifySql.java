package io.quarkiverse.lock.jpa.dialect;

/** The messages between JVMs, and the statements that send them through PostgreSQL. */
public final class NotifySql {

    public static final String CHANNEL = "quarkus_lock";
    /** {@code G id token}: the lock is free, and this claim is first in line. */
    public static final String TURN = "G";
    /** {@code R id token}: somebody waits for what this grant holds. */
    public static final String WAITED = "R";
    /** {@code L id token fence}: the grant was ended by force. */
    public static final String LOST = "L";
    /** {@code A id token fence}: somebody requests the release of the grant. */
    public static final String ASKED = "A";

    /**
     * A message is sent once its transaction has committed. That commit leaves nothing behind that is worth waiting for the log
     * or for a replica. Applies to the statement's transaction only.
     */
    public static final String AT_ONCE = "pg_catalog.set_config('synchronous_commit', 'off', true)";
    public static final String TELL = "SELECT pg_notify(?, ?), " + AT_ONCE;

    private NotifySql() {
    }
}
