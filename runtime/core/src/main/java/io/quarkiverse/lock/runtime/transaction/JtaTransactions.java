package io.quarkiverse.lock.runtime.transaction;

import java.lang.annotation.Annotation;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionScoped;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.lease.Validity;
import io.quarkiverse.lock.engine.news.Causes;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.text.PrintableName;
import io.quarkus.arc.runtime.InterceptorBindings;

/** JTA. Part of the application only if it has a transaction manager. */
@Singleton
public class JtaTransactions implements Transactions {

    private static final Logger LOG = Logger.getLogger(JtaTransactions.class);

    private final TransactionManager manager;
    private final TransactionSynchronizationRegistry registry;
    private final LockEngines engines;
    /** The latest of each hold. */
    private final Map<LockHold, Binding> bindings = new ConcurrentHashMap<>();

    @Inject
    public JtaTransactions(TransactionManager manager, TransactionSynchronizationRegistry registry, LockEngines engines) {
        this.manager = manager;
        this.registry = registry;
        this.engines = engines;
    }

    /**
     * A transaction was begun, by whatever code: the locks in whose scopes that runs are checked before the commit. A lock that
     * lives in a transaction is not: it ends with that one, and this is another, which may record why.
     */
    void begun(@Observes @Initialized(TransactionScoped.class) Object transaction) {
        for (LockEngine engine : engines.all()) {
            for (LockHold hold : engine.scopes().around()) {
                Current begun = engine.transactional() == null && hold.failsOnLoss() ? current() : null;
                if (begun != null) {
                    begun.check(engine, hold, true);
                }
            }
        }
    }

    @Override
    public @Nullable Current current() {
        try {
            Transaction transaction = manager.getTransaction();
            return transaction == null || ended(transaction.getStatus()) ? null : new Jta(transaction);
        } catch (SystemException e) {
            throw silent(e);
        }
    }

    private static boolean ended(int status) {
        return status == Status.STATUS_NO_TRANSACTION || status == Status.STATUS_UNKNOWN || completed(status);
    }

    private static boolean completed(int status) {
        return status == Status.STATUS_COMMITTED || status == Status.STATUS_ROLLEDBACK;
    }

    private static IllegalStateException silent(SystemException e) {
        return new IllegalStateException("The transaction manager does not say whether a transaction is active", e);
    }

    @Override
    public boolean leaveCompleted(LockHold hold) {
        Binding binding = bindings.get(hold);
        if (binding == null) {
            return true; // its turn has come
        }
        try {
            if (!completed(binding.boundTo.getStatus())) {
                return false;
            }
        } catch (SystemException e) {
            throw silent(e);
        }
        binding.leave();
        return true;
    }

    @Override
    public boolean suspendedIn(InvocationContext call) {
        for (Annotation binding : InterceptorBindings.getInterceptorBindings(call)) {
            if (binding instanceof Transactional transactional) {
                return switch (transactional.value()) {
                    case REQUIRES_NEW, NOT_SUPPORTED, NEVER -> true;
                    case REQUIRED, SUPPORTS, MANDATORY -> false;
                };
            }
        }
        return false;
    }

    @Override
    public boolean isRollback(Throwable failure) {
        return Causes.of(failure).stream().anyMatch(RollbackException.class::isInstance);
    }

    /** Identifies a hold among the transaction's resources. */
    private record BoundHold(LockEngine engine, String name) {
    }

    /** Identifies the check of a hold among the transaction's resources. */
    private record CheckedHold(LockHold hold) {
    }

    private final class Jta implements Current {

        private final Transaction transaction;

        Jta(Transaction transaction) {
            this.transaction = transaction;
        }

        @Override
        public @Nullable LockHold boundHold(LockEngine engine, String name) {
            LockHold bound = (LockHold) registry.getResource(new BoundHold(engine, name));
            return bound != null && !engine.validity().lostForGood(bound) && bound.live() ? bound : null;
        }

        @Override
        public void refuseIfDoomed(String name) {
            try {
                if (transaction.getStatus() == Status.STATUS_MARKED_ROLLBACK) {
                    throw notTaken(name, "marked for rollback", null);
                }
            } catch (SystemException e) {
                throw silent(e);
            }
        }

        @Override
        public void bind(LockEngine engine, LockHold hold) {
            if (!hold.enter()) {
                throw hold.loss();
            }
            Binding binding = new Binding(engine, transaction, hold);
            bindings.put(hold, binding);
            try {
                register(binding);
            } catch (RollbackException | RuntimeException e) {
                bindings.remove(hold, binding);
                // The caller is still a user, so this cannot be the last one
                engine.handOver().leave(hold);
                throw notTaken(hold.name(), e instanceof RollbackException ? "marked for rollback" : "already ending", e);
            }
            hold.boundIn(engine.threads().work());
            registry.putResource(new BoundHold(engine, hold.name()), hold);
            registry.putResource(new CheckedHold(hold), binding);
        }

        private static IllegalStateException notTaken(String name, String state, @Nullable Exception cause) {
            return new IllegalStateException("Lock '" + PrintableName.of(name)
                    + "' is not taken, because the active transaction is " + state
                    + ": call the @Locked method before that, or outside the transaction", cause);
        }

        @Override
        public void check(LockEngine engine, LockHold hold, boolean mayAsk) {
            CheckedHold key = new CheckedHold(hold);
            CommitCheck known = (CommitCheck) registry.getResource(key);
            if (known != null) {
                known.mayAsk &= mayAsk;
                return;
            }
            CommitCheck check = new CommitCheck(engine, hold, mayAsk);
            try {
                register(check);
                registry.putResource(key, check);
            } catch (RollbackException e) {
                LOG.debugf(e, "No commit to refuse: the transaction around lock '%s' can only be rolled back",
                        PrintableName.of(hold.name()));
            }
        }

        @Override
        public <T> T call(Supplier<T> call) {
            try {
                if (transaction.equals(manager.getTransaction())) {
                    return call.get();
                }
                Transaction other = manager.suspend();
                try {
                    manager.resume(transaction);
                    try {
                        return call.get();
                    } finally {
                        manager.suspend();
                    }
                } finally {
                    if (other != null) {
                        manager.resume(other);
                    }
                }
            } catch (InvalidTransactionException | SystemException e) {
                throw new IllegalStateException("The active transaction cannot be resumed", e);
            }
        }

        private void register(Synchronization synchronization) throws RollbackException {
            try {
                transaction.registerSynchronization(synchronization);
            } catch (SystemException e) {
                throw new IllegalStateException("The transaction manager refuses a synchronization", e);
            }
        }
    }

    /** Keeps a transaction from committing work done after its lock was lost. */
    private class CommitCheck implements Synchronization {

        final LockEngine engine;
        final LockHold hold;
        boolean mayAsk;
        private final @Nullable Object transaction = registry.getTransactionKey();

        CommitCheck(LockEngine engine, LockHold hold, boolean mayAsk) {
            this.engine = engine;
            this.hold = hold;
            this.mayAsk = mayAsk;
        }

        @Override
        public void beforeCompletion() {
            look(); // a loss known by now is the refusal's own cause; what the last look throws is wrapped once more
            LastLook.take(registry, transaction, this::look);
        }

        /** A hold given back before the commit was held until then. That is checked last, as it may happen meanwhile. */
        private void look() {
            if (hold.failsOnLoss() && !valid() && !hold.released()) {
                throw engine.validity().failure(hold); // the transaction manager rolls back
            }
        }

        private boolean valid() {
            Validity validity = engine.validity();
            return mayAsk && !engine.threads().blockingForbidden() ? validity.validOrConfirmed(hold) : validity.valid(hold);
        }

        @Override
        public void afterCompletion(int status) {
            // the transaction held nothing
        }
    }

    /** {@link CommitCheck} that also gives the lock back once the transaction has completed, on whichever thread. */
    private final class Binding extends CommitCheck {

        private final Transaction boundTo;
        private final AtomicBoolean left = new AtomicBoolean();

        Binding(LockEngine engine, Transaction boundTo, LockHold hold) {
            super(engine, hold, true);
            this.boundTo = boundTo;
        }

        /** The last to be registered is the first to be told of the end: observers of the commit find the lock free. */
        @Override
        public void beforeCompletion() {
            try {
                boundTo.registerSynchronization(new Leaving());
            } catch (RollbackException | SystemException | RuntimeException e) {
                LOG.debugf(e, "Lock '%s' is released in the binding's own turn", PrintableName.of(hold.name()));
            }
            super.beforeCompletion();
        }

        @Override
        public void afterCompletion(int status) {
            leave();
        }

        void leave() {
            if (left.compareAndSet(false, true)) {
                bindings.remove(hold, this);
                hold.boundIn(null);
                engine.release().leave(hold);
            }
        }

        private final class Leaving implements Synchronization {

            @Override
            public void beforeCompletion() {
                // the binding has looked
            }

            @Override
            public void afterCompletion(int status) {
                leave();
            }
        }
    }
}
