package io.quarkiverse.lock.jpa.pessimistic;

import static io.quarkiverse.lock.jpa.pessimistic.TransactionalJvm.TRANSACTIONS;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

import jakarta.transaction.Transaction;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.JavaLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.LockQuery;
import io.smallrye.mutiny.Uni;

/**
 * Locks whose handles each have a transaction, for tests that know nothing of transactions: it begins before the lock is taken,
 * on a separate thread like those of other callers, and is committed when the handle is closed.
 */
final class HandleTransactions implements LockManager {

    private final LockManager plain;

    HandleTransactions(LockManager plain) {
        this.plain = plain;
    }

    @Override
    public DistributedLock lock(String name, LockOptions options) {
        // A transaction cannot have lease options
        return new InTransaction(plain.lock(name, options.waitFor() == null ? LockOptions.DEFAULTS
                : LockOptions.DEFAULTS.withWaitFor(options.waitFor())));
    }

    @Override
    public DistributedLock all(LockOptions options, String... names) {
        return plain.all(options, names);
    }

    private record InTransaction(DistributedLock plain) implements DistributedLock {

        @Override
        public String name() {
            return plain.name();
        }

        @Override
        public LockHandle acquire() {
            return elsewhere(() -> begun(() -> Optional.of(plain.acquire()))).orElseThrow();
        }

        @Override
        public Optional<LockHandle> tryAcquire(Duration wait) {
            return elsewhere(() -> begun(() -> plain.tryAcquire(wait)));
        }

        private static Optional<LockHandle> begun(Supplier<Optional<LockHandle>> take) throws Exception {
            TRANSACTIONS.begin();
            Optional<LockHandle> taken = Optional.empty();
            try {
                taken = take.get();
            } finally {
                if (taken.isEmpty()) {
                    TRANSACTIONS.rollback();
                }
            }
            Transaction transaction = taken.isEmpty() ? null : TRANSACTIONS.suspend();
            return taken.map(handle -> new Handle(handle, transaction));
        }

        @Override
        public Uni<LockHandle> acquireAsync() {
            return plain.acquireAsync();
        }

        @Override
        public Uni<Optional<LockHandle>> tryAcquireAsync(Duration wait) {
            return plain.tryAcquireAsync(wait);
        }

        @Override
        public <T> T call(Callable<T> body) throws Exception {
            return plain.call(body);
        }

        @Override
        public <T> Uni<T> callAsync(Supplier<Uni<T>> body) {
            return plain.callAsync(body);
        }

        @Override
        public JavaLock asJavaLock() {
            return plain.asJavaLock();
        }
    }

    private static <T> T elsewhere(Callable<T> task) {
        FutureTask<T> result = new FutureTask<>(task);
        Thread thread = new Thread(result, "in-transaction");
        thread.setDaemon(true);
        thread.start();
        while (true) {
            try {
                return result.get();
            } catch (InterruptedException e) {
                thread.interrupt();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException failure) {
                    throw failure;
                }
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    private static final class Handle implements LockHandle {

        private final LockHandle plain;
        private @Nullable Transaction transaction;

        Handle(LockHandle plain, @Nullable Transaction transaction) {
            this.plain = plain;
            this.transaction = transaction;
        }

        @Override
        public String name() {
            return plain.name();
        }

        @Override
        public long fencingToken() {
            return plain.fencingToken();
        }

        @Override
        public boolean isValid() {
            return plain.isValid();
        }

        @Override
        public Duration validFor() {
            return plain.validFor();
        }

        @Override
        public void onLost(Runnable callback) {
            plain.onLost(callback);
        }

        @Override
        public java.util.concurrent.CompletionStage<io.quarkiverse.lock.LockLostException> lost() {
            return plain.lost();
        }

        @Override
        public boolean isReleaseRequested() {
            return plain.isReleaseRequested();
        }

        @Override
        public void onReleaseRequested(Runnable callback) {
            plain.onReleaseRequested(callback);
        }

        @Override
        public java.util.concurrent.CompletionStage<Void> releaseRequested() {
            return plain.releaseRequested();
        }

        @Override
        public void extend(Duration lease) {
            plain.extend(lease);
        }

        @Override
        public Uni<Void> extendAsync(Duration lease) {
            return plain.extendAsync(lease);
        }

        @Override
        public void changeLease(Duration lease) {
            plain.changeLease(lease);
        }

        @Override
        public Uni<Void> changeLeaseAsync(Duration lease) {
            return plain.changeLeaseAsync(lease);
        }

        @Override
        public void changeHoldAtLeast(Duration holdAtLeast) {
            plain.changeHoldAtLeast(holdAtLeast);
        }

        @Override
        public Uni<Void> changeHoldAtLeastAsync(Duration holdAtLeast) {
            return plain.changeHoldAtLeastAsync(holdAtLeast);
        }

        @Override
        public void downgrade() {
            plain.downgrade();
        }

        @Override
        public Uni<Void> downgradeAsync() {
            return plain.downgradeAsync();
        }

        @Override
        public Uni<Void> release() {
            close();
            return plain.release();
        }

        @Override
        public void close() {
            Transaction last;
            synchronized (this) {
                last = transaction;
                transaction = null;
            }
            if (last != null) {
                elsewhere(() -> {
                    TRANSACTIONS.resume(last);
                    plain.close();
                    TRANSACTIONS.commit();
                    return true;
                });
            }
        }
    }

    @Override
    public LockQuery.Page list(LockQuery query) {
        return plain.list(query);
    }

    @Override
    public Uni<LockQuery.Page> listAsync(LockQuery query) {
        return plain.listAsync(query);
    }

    @Override
    public Optional<LockInfo> inspect(String name) {
        return plain.inspect(name);
    }

    @Override
    public Uni<Optional<LockInfo>> inspectAsync(String name) {
        return plain.inspectAsync(name);
    }

    @Override
    public boolean forceRelease(String name) {
        return plain.forceRelease(name);
    }

    @Override
    public Uni<Boolean> forceReleaseAsync(String name) {
        return plain.forceReleaseAsync(name);
    }

    @Override
    public boolean requestRelease(String name) {
        return plain.requestRelease(name);
    }

    @Override
    public Uni<Boolean> requestReleaseAsync(String name) {
        return plain.requestReleaseAsync(name);
    }

    @Override
    public List<HeldLock> held() {
        return plain.held();
    }
}
