package io.quarkiverse.lock.engine.state;

import java.util.concurrent.Executor;

/** For news that must reach everybody, even if no other thread is available for some of it. The news itself throws nothing. */
public final class OtherThreads {

    private OtherThreads() {
    }

    /** {@code false} if no other thread is available: the current one has to do it. */
    static boolean run(Executor others, Runnable news) {
        try {
            others.execute(news);
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    /** There, or here if no other thread is available. */
    public static void runOrHere(Executor others, Runnable news) {
        if (!run(others, news)) {
            news.run();
        }
    }
}
