package io.quarkiverse.lock.benchmarks;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.process.ChildMain;

/**
 * An application that has used its locks and waited for them, or only used its client, and is now idle. Public for its
 * launcher.
 */
public final class IdleJvm implements ChildMain {

    private static final int USES = 100;

    private @Nullable AutoCloseable open;
    private @Nullable Mutex held;

    /** The server; and whether it has locks, or only a client. */
    @Override
    public void start(String[] arguments, Child child) throws Exception {
        if (Boolean.parseBoolean(arguments[1])) {
            var locks = new OurLocks(arguments[0]);
            Mutex mutex = locks.mutex("idle");
            for (int i = 0; i < USES; i++) {
                mutex.lock();
                mutex.unlock();
            }
            waitOnce(locks, mutex);
            open = locks;
        } else {
            open = IdleClient.of(arguments[0]);
        }
    }

    /** From then on a JVM listens for news of others, which takes one more connection in a database. */
    private static void waitOnce(OurLocks locks, Mutex mutex) throws InterruptedException {
        mutex.lock();
        Mutex other = locks.mutex("idle");
        var waiting = new Thread(() -> {
            other.lock();
            other.unlock();
        }, "waits");
        waiting.start();
        Await.until("somebody waits", Duration.ofSeconds(10), () -> waiting.getState() == Thread.State.TIMED_WAITING);
        mutex.unlock();
        waiting.join();
    }

    /** Holds a lock from now on. */
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
