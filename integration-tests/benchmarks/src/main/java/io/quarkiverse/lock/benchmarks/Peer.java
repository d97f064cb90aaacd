package io.quarkiverse.lock.benchmarks;

/** A library that makes locks, connected. */
interface Peer extends AutoCloseable {

    /** For one thread alone. */
    Mutex mutex(String name);

    @Override
    void close();
}
