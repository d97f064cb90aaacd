package io.quarkiverse.lock.benchmarks;

import java.util.Locale;
import java.util.function.Function;

/** The measured libraries. */
enum Library {

    OURS(OurLocks::new),
    METERED(OurLocks::metered),
    OBSERVED(OurLocks::observed),
    RAW(url -> QuorumProcess.is(url) ? new RawQuorum(url)
            : PostgresProcess.is(url) ? new RawStatements(url) : new RawScripts(url)),
    REDISSON(RedissonLocks::new),
    SPRING(url -> PostgresProcess.is(url) ? new SpringJdbcLocks(url) : new SpringLocks(url)),
    NODES(RawNodes::new),
    CURATOR(CuratorMutexes::new),
    SHEDLOCK(ShedLocks::new),
    TRANSACTIONS(TransactionLocks::new),
    ROWLOCK(RowLocks::reading),
    ROWWRITE(RowLocks::writing),
    FIFO(url -> new FifoQueue());

    private final Function<String, Peer> opens;

    Library(Function<String, Peer> opens) {
        this.opens = opens;
    }

    Peer open(String url) {
        return opens.apply(url);
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
