package io.quarkiverse.lock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.acquire.BlockingAcquire;
import io.quarkiverse.lock.engine.acquire.BlockingRelease;
import io.quarkiverse.lock.engine.acquire.PipelineHolds;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.lease.Census;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.queue.HandOver;
import io.quarkiverse.lock.engine.reactive.Pipelines;
import io.quarkiverse.lock.engine.reactive.Stages;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.TransactionalBackend;

/**
 * Locks of one backend in one JVM, shared by all managers on that backend. Owns what is the same for every store: the queues
 * inside the JVM, validity and renewal, hand-over, re-entrancy, and shutdown.
 *
 * <pre>{@code
 * LockEngine engine = LockEngine.builder(backend).start();
 * LockManager locks = engine.manager(ManagerDefaults.STANDARD);
 * }</pre>
 */
public final class LockEngine implements AutoCloseable {

    private final LockEngineBuilder settings;
    private final LockBackend backend;
    private final LockTime time;
    private final CallerThreads threads;
    /** The class loader of the thread that starts the application; the first lock may be taken on any thread. */
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();
    /** {@code null} until the first lock is wanted, to keep application start fast. */
    private volatile @Nullable EngineParts parts;

    LockEngine(LockEngineBuilder settings) {
        this.settings = settings;
        backend = settings.backend;
        time = settings.time();
        threads = settings.threads();
    }

    public static LockEngineBuilder builder(LockBackend backend) {
        return new LockEngineBuilder(backend);
    }

    void start() {
        backend.start(new News(), time);
    }

    private EngineParts parts() {
        EngineParts made = parts;
        return made != null ? made : make();
    }

    private synchronized EngineParts make() {
        EngineParts made = parts;
        if (made == null) {
            made = new EngineParts(settings, loader);
            parts = made;
        }
        return made;
    }

    private void ifUsed(Consumer<EngineParts> action) {
        EngineParts made = parts;
        if (made != null) {
            action.accept(made);
        }
    }

    /** A manager with these defaults. Managers are light; all of one engine share its locks. */
    public LockManager manager(ManagerDefaults defaults) {
        EngineParts made = parts();
        return new EngineLockManager(backend, made.callers, made.locks, made.transactional, made.held, made.renewals,
                made.lingering, made.idle, made.answers, defaults);
    }

    /** The store, for callers that ask about its state or its limits. */
    public LockBackend backend() {
        return backend;
    }

    /** Who holds and who waits in this JVM. */
    public Census census() {
        return parts().census;
    }

    /** What the backend can do. */
    public Set<Feature> features() {
        return backend.features();
    }

    /** What this JVM holds now. */
    public List<HeldLock> held() {
        EngineParts made = parts;
        return made == null ? List.of() : made.held.list();
    }

    /** Has the backend confirm all holds now. */
    public void recheck() {
        ifUsed(made -> made.renewals.recheckAll());
    }

    // --- checkpoints of the process

    /**
     * The process is about to be frozen, and will be restored later or elsewhere, perhaps more than once. Gives back what is
     * only kept, and withdraws what is claimed; waits for each as long as for one operation of the backend. Callers who wait
     * go on waiting.
     */
    public void beforeCheckpoint() {
        parts().checkpoint.before();
    }

    /**
     * The process was restored, or no checkpoint was made after all. Nobody knows how long it was frozen, so no hold is valid
     * until it is confirmed. Claims again what callers wait for.
     */
    public void afterRestore() {
        ifUsed(made -> made.checkpoint.after());
    }

    // --- shutdown

    /**
     * Refuses new claims, sends waiters away and asks the holders to finish, then waits until they have.
     *
     * @param grace how long to wait for them
     * @return whether all have finished
     */
    public boolean drain(Duration grace) {
        return parts().shutdown.drain(grace);
    }

    /**
     * {@link #drain} without asking or waiting for the holders; then waits for releases under way, and closes the backend.
     * Locks still held are left to their lease, and reported.
     */
    @Override
    public void close() {
        parts().shutdown.close();
    }

    // --- what interceptors need

    public LockTime time() {
        return time;
    }

    public CallerThreads threads() {
        return threads;
    }

    /** Why the wait for a refused hold ended. */
    public LockBusyException busy(LockHold hold) {
        return parts().errors.busy(hold);
    }

    /** Takes locks on a thread that waits for them. */
    public BlockingAcquire acquire() {
        return parts().acquire;
    }

    /** Runs blocking code under locks, and finds the enclosing hold of the same name. */
    public Scopes scopes() {
        return parts().scopes;
    }

    /** Runs reactive code under locks. */
    public Pipelines pipelines() {
        return parts().pipelines;
    }

    /** Finds the holds of the pipelines around reactive code. */
    public PipelineHolds pipelineHolds() {
        return parts().pipelineHolds;
    }

    /** {@code CompletionStage}s under locks. */
    public Stages stages() {
        return parts().stages;
    }

    /** Whether holds are still held. */
    public Validity validity() {
        return parts().validity;
    }

    /** Ends holds without waiting for the backend's answer. */
    public HandOver handOver() {
        return parts().handOver;
    }

    /** Ends holds, and waits for the backend's answer. */
    public BlockingRelease release() {
        return parts().release;
    }

    /** For locks that live in transactions; {@code null} if this backend's do not. */
    public @Nullable TransactionalLocks transactional() {
        return backend instanceof TransactionalBackend ? parts().transactional : null;
    }

    /** Before the first lock is wanted, news has nothing to refer to. */
    private final class News implements BackendListener {

        @Override
        public void suspect(Grant grant) {
            ifUsed(made -> made.news.suspect(grant));
        }

        @Override
        public void lost(Grant grant, String reason) {
            ifUsed(made -> made.news.lost(grant, reason));
        }

        @Override
        public void waiters(Grant grant, boolean some) {
            ifUsed(made -> made.news.waiters(grant, some));
        }

        @Override
        public void releaseRequested(Grant grant) {
            ifUsed(made -> made.news.releaseRequested(grant));
        }

        @Override
        public void recheck() {
            ifUsed(made -> made.news.recheck());
        }
    }
}
