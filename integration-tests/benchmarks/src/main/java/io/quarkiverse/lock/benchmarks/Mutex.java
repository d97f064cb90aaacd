package io.quarkiverse.lock.benchmarks;

/** The lock of one name, as used by one thread. */
interface Mutex {

    void lock();

    void unlock();
}
