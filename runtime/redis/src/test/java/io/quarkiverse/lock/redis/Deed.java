package io.quarkiverse.lock.redis;

/** What a {@link RedisNemesis} does. */
enum Deed {
    /** Requests come late, or never because the client has closed the connection meanwhile. */
    SILENCE(2, true),
    /** Requests arrive, replies do not. */
    DROP_REPLIES(1, true),
    DROP_ONE_REPLY(2, true),
    CUT(1, true),
    SLOW(1, true),
    /** Replies come when what they grant is over, or nearly so. */
    OLD_REPLIES(1, true),
    /**
     * Silence for longer than a pushed grant lives; then in one JVM only the messages of then come, and nothing can be
     * confirmed; in another one the messages come after the commands have gone on.
     */
    STALE_MESSAGES(2, true),
    KILL_CLIENTS(1, true),
    PAUSE_SERVER(1, true),
    PAUSE_CHILD(3, true),
    KILL_CHILD(1, true),
    /** Messages are lost for a while, and the connection for them after that. */
    DROP_MESSAGES(4, false),
    /** Messages come late. */
    DELAY_MESSAGES(2, false),
    /** What is on its way comes long after the client has made another connection and gone on. */
    LATE_REQUESTS(4, false),
    KILL_SUBSCRIBERS(1, false),
    FLUSH_SCRIPTS(2, false),
    FORCE(1, false);

    /** How often in a round. */
    final int times;
    /** Whether it keeps anybody from its locks; of the others nobody is to notice anything but a short delay. */
    final boolean harmful;

    Deed(int times, boolean harmful) {
        this.times = times;
        this.harmful = harmful;
    }
}
