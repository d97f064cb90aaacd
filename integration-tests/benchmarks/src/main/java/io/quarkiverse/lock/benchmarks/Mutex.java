package io.quarkiverse.lock.benchmarks;

/** A lock of one name, as one thread uses it. */
interface Mutex {

    void lock();

    void unlock();
}
