package io.quarkiverse.lock.benchmarks;

import java.util.Locale;
import java.util.function.Function;

/** Who is measured. */
enum Library {

    OURS(OurLocks::new),
    RAW(RawScripts::new),
    REDISSON(RedissonLocks::new),
    SPRING(SpringLocks::new),
    NODES(RawNodes::new),
    CURATOR(CuratorMutexes::new),
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
