package io.quarkiverse.lock.jpa.pessimistic;

import org.jboss.logging.Logger;

/** Reports at the start if the pool is too small for transactions with locks. */
public final class PoolSizeCheck {

    private static final Logger LOG = Logger.getLogger(PoolSizeCheck.class);
    /** A holder, the first waiter, what the holder's body may begin in addition, and the insert of a new name. */
    private static final int LEAST = 4;

    private PoolSizeCheck() {
    }

    /**
     * @param pool the maximum size of the pool
     * @param dataSource the prefix of the data source's properties
     */
    public static void check(int pool, String dataSource) {
        if (pool >= LEAST) {
            return;
        }
        LOG.warnf(
                "quarkus.lock.jpa.strategy=pessimistic with %sjdbc.max-size=%d: each held lock keeps one connection of the pool "
                        + "until its transaction ends, each name that this JVM waits for keeps another one, and a new name "
                        + "takes one more for a moment. %s Set it to at least %d, or better, to two for each name that is "
                        + "locked at the same time plus one for each transaction",
                dataSource, pool, pool == 1
                        ? "So a method that has used its transaction before it takes a new lock fails after the pool's "
                                + "acquisition-timeout."
                        : "So holders can wait for connections that only they could give back.",
                LEAST);
    }
}
