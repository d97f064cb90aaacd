package io.quarkiverse.lock.jpa.pessimistic;

import org.jboss.logging.Logger;

/** Says at the start what transactions with locks ask of the pool, if it is too small for that. */
public final class PoolSizeCheck {

    private static final Logger LOG = Logger.getLogger(PoolSizeCheck.class);
    /** A holder, the first who waits, what the holder's body may begin in addition, and the insert of a new name. */
    private static final int LEAST = 4;

    private PoolSizeCheck() {
    }

    /**
     * @param pool how many connections there are at most
     * @param dataSource begins the properties of the data source
     */
    public static void check(int pool, String dataSource) {
        if (pool >= LEAST) {
            return;
        }
        LOG.warnf(
                "quarkus.lock.jpa.strategy=pessimistic with %sjdbc.max-size=%d: each held lock keeps one connection of the pool "
                        + "until its transaction ends, each name that this JVM waits for keeps another one, and a name that is new takes "
                        + "one more for a moment. %s Set it to at least %d, better to two for each name that is locked at the same time "
                        + "and one for each transaction besides",
                dataSource, pool, pool == 1
                        ? "So a method that has used its transaction before it takes a new lock fails after the pool's "
                                + "acquisition-timeout."
                        : "So holders can wait for connections that only they could give back.",
                LEAST);
    }
}
