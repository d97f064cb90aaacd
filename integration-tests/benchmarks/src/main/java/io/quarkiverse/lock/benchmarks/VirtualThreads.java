package io.quarkiverse.lock.benchmarks;

import java.lang.reflect.Method;
import java.util.function.Function;

/** Virtual threads, used from the language level of JDK 17. */
final class VirtualThreads {

    private VirtualThreads() {
    }

    static boolean available() {
        return Runtime.version().feature() >= 21;
    }

    static Function<Runnable, Thread> starter() {
        return task -> {
            try {
                Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
                return (Thread) start.invoke(null, task);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("No virtual threads here", e);
            }
        };
    }
}
