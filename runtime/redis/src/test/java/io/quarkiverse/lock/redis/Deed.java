package io.quarkiverse.lock.redis;

/** What a {@link RedisNemesis} does. */
enum Deed {
    /** Requests arrive late, or never because the client has closed the connection meanwhile. */
    SILENCE(2, true),
    /** Requests arrive, replies do not. */
    DROP_REPLIES(1, true),
    DROP_ONE_REPLY(2, true),
    CUT(1, true),
    SLOW(1, true),
    /** Replies arrive when what they grant is over, or nearly so. */
    OLD_REPLIES(1, true),
    /**
     * Silence for longer than a pushed grant lives. Then one JVM receives only the messages of that time and can confirm
     * nothing; another receives them after its commands have gone on.
     */
    STALE_MESSAGES(2, true),
    KILL_CLIENTS(1, true),
    PAUSE_SERVER(1, true),
    PAUSE_CHILD(3, true),
    KILL_CHILD(1, true),
    /** Messages are lost for a while, then the connection for them. */
    DROP_MESSAGES(4, false),
    /** Messages arrive late. */
    DELAY_MESSAGES(2, false),
    /** Requests on their way arrive long after the client has reconnected and gone on. */
    LATE_REQUESTS(4, false),
    KILL_SUBSCRIBERS(1, false),
    FLUSH_SCRIPTS(2, false),
    FORCE(1, false);

    /** How often in a round. */
    final int times;
    /** Whether it keeps anybody from their locks; the other deeds must cause no more than a short delay. */
    final boolean harmful;

    Deed(int times, boolean harmful) {
        this.times = times;
        this.harmful = harmful;
    }
}
