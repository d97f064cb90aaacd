package io.quarkiverse.lock.benchmarks;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.process.ChildMain;

/** An application that has used its locks, or only its client, and does nothing now. Public for its launcher. */
public final class IdleJvm implements ChildMain {

    private static final int USES = 100;

    private @Nullable AutoCloseable open;
    private @Nullable Mutex held;

    /** Server; and whether it has locks, or only a client. */
    @Override
    public void start(String[] arguments, Child child) throws Exception {
        if (Boolean.parseBoolean(arguments[1])) {
            var locks = new OurLocks(arguments[0]);
            Mutex mutex = locks.mutex("idle");
            for (int i = 0; i < USES; i++) {
                mutex.lock();
                mutex.unlock();
            }
            open = locks;
        } else {
            open = IdleClient.of(arguments[0]);
        }
    }

    /** Holds a lock from here on. */
    @Override
    public String handle(String request, Child child) {
        if (open instanceof OurLocks locks) {
            Mutex mutex = locks.mutex("held");
            mutex.lock();
            held = mutex;
        }
        return "";
    }
}
