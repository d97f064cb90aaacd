package io.quarkiverse.lock.engine.news;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The threads that tell holders what has happened to their locks. They belong to the engine: the application's workers may all
 * be waiting for the very lock that has been lost, and would not be free until its next holder has finished.
 * <p>
 * There are few of them; they are created when there is news, and end when there has been none for a while. When callbacks
 * block all of them, further callbacks run on virtual threads, or wait where there are none. The few come first, because
 * virtual threads depend on their carriers, which application code can keep busy.
 */
public final class NewsThreads implements Executor {

    private static final int AT_MOST = 32;
    private static final long IDLE_SECONDS = 5;

    private final @Nullable ClassLoader loader;
    private final ThreadPoolExecutor own;

    /** @param loader the application's, not that of the thread that notices a loss */
    public NewsThreads(@Nullable ClassLoader loader) {
        this.loader = loader;
        ExecutorService virtual = virtualThreads();
        BlockingQueue<Runnable> waiting = virtual == null ? new LinkedBlockingQueue<>() : new SynchronousQueue<>();
        own = new ThreadPoolExecutor(AT_MOST, AT_MOST, IDLE_SECONDS, TimeUnit.SECONDS, waiting, NewsThreads::daemon);
        own.allowCoreThreadTimeOut(true);
        if (virtual != null) {
            own.setRejectedExecutionHandler((news, full) -> virtual.execute(news));
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "quarkus-lock-news");
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void execute(Runnable news) {
        own.execute(() -> {
            Thread.currentThread().setContextClassLoader(loader);
            news.run();
        });
    }

    /**
     * Looked up by name, since this is compiled for a JDK without virtual threads; native images see such a call at build time.
     */
    private static @Nullable ExecutorService virtualThreads() {
        if (Runtime.version().feature() < 21) {
            return null;
        }
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
            return null;
        }
    }
}
