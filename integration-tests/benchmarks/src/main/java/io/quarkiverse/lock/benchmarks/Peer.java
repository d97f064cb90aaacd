package io.quarkiverse.lock.benchmarks;

/** A library that makes locks, connected. */
interface Peer extends AutoCloseable {

    /** For one thread alone. */
    Mutex mutex(String name);

    /** For one thread alone, which holds it together with others that do the same. */
    default Mutex shared(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    void close();
}
