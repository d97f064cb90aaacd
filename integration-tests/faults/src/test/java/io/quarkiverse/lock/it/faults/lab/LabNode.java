package io.quarkiverse.lock.it.faults.lab;

import java.util.concurrent.locks.ReentrantLock;

import io.quarkiverse.lock.testkit.random.RandomChildren;

/**
 * One of the JVMs, and its link to the store.
 *
 * @param lock held while something is done to the node
 */
record LabNode(StoreLink link, RandomChildren jvm, ReentrantLock lock) implements AutoCloseable {

    @Override
    public void close() {
        jvm.resume();
        jvm.close();
        link.close();
    }

    @Override
    public String toString() {
        return jvm.toString();
    }
}
