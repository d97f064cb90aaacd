package io.quarkiverse.lock.runtime.call;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.engine.transaction.TransactionalLocks;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.method.LockedMethods;
import io.quarkiverse.lock.runtime.method.ParameterValidation;
import io.quarkiverse.lock.runtime.method.ValidationKind;
import io.quarkiverse.lock.runtime.transaction.Transactions;

/**
 * Takes the lock of a {@link Locked} method around everything that a transaction does. It sits outside {@code @Transactional}
 * (+ 200), so that the lock is held before the transaction begins and still held when it commits. It sits inside security (+
 * 150), so that a caller without permission does not wait, and keeps nobody waiting.
 */
@Locked
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 160)
public class LockedInterceptor {

    private final LockedMethods methods;
    private final ParameterValidation validation;
    private final Transactions transactions;
    private final TransactionsAround around;
    private final BlockingCalls blocking;
    private final ReactiveCalls reactiveCalls;
    private final StageCalls stages;

    @Inject
    LockedInterceptor(LockedMethods methods, Instance<ParameterValidation> validation, TransactionsAround around) {
        this.methods = methods;
        this.validation = validation.isResolvable() ? validation.get() : ParameterValidation.NONE;
        this.transactions = around.transactions();
        this.around = around;
        this.blocking = new BlockingCalls(around);
        this.reactiveCalls = new ReactiveCalls(around);
        this.stages = new StageCalls(around);
    }

    @AroundInvoke
    Object lock(InvocationContext invocation) throws Exception {
        LockedMethod method = methods.of(invocation);
        if (method == null) {
            return invocation.proceed(); // switched off
        }
        if (method.validation() != ValidationKind.NONE) {
            validation.check(invocation, method.validation());
        }
        TransactionalLocks inTransaction = method.engine().transactional();
        if (inTransaction != null) {
            return aroundTransaction(invocation, method, inTransaction);
        }
        return switch (method.returns()) {
            case BLOCKING -> method.several() ? blocking.several(invocation, method) : blocking.one(invocation, method);
            case UNI -> reactiveCalls.uni(invocation, method);
            case MULTI -> reactiveCalls.multi(invocation, method);
            case COMPLETION_STAGE -> stages.call(invocation, method);
        };
    }

    private @Nullable Object aroundTransaction(InvocationContext invocation, LockedMethod method, TransactionalLocks locks)
            throws Exception {
        Transactions.Current before = transactions.current();
        if (before != null && !transactions.suspendedIn(invocation)) {
            for (String name : method.names(invocation.getParameters())) {
                if (!locks.held(name, method.settings())) {
                    around.lookAt(before, method, name);
                }
            }
        }
        return LocksInTransactions.around(invocation, locks, transactions);
    }
}
