package io.quarkiverse.lock.benchmarks;

/** A connected library that creates locks. */
interface Peer extends AutoCloseable {

    /** For a single thread. */
    Mutex mutex(String name);

    /** For a single thread, which shares it with others that do the same. */
    default Mutex shared(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    void close();
}
