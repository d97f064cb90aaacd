package io.quarkiverse.lock.benchmarks;

import java.lang.management.ManagementFactory;

/** The memory that this JVM's objects occupy. */
final class Memory {

    private Memory() {
    }

    static long usedHeap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
