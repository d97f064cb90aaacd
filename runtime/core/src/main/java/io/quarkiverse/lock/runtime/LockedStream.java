package io.quarkiverse.lock.runtime;

import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.engine.Hold;
import io.quarkiverse.lock.engine.Pipelines;
import io.smallrye.mutiny.Multi;

/**
 * One call of a {@code @Locked} method that returns a {@code Multi}. Each subscription takes the lock, calls the method, and
 * holds the lock until the items have ended or nobody wants them any more.
 */
final class LockedStream {

    private final LockedInterceptor interceptor;
    private final InvocationContext invocation;
    private final LockedMethod method;

    LockedStream(LockedInterceptor interceptor, InvocationContext invocation, LockedMethod method) {
        this.interceptor = interceptor;
        this.invocation = invocation;
        this.method = method;
    }

    Multi<Object> multi() {
        Fallback fallback = method.fallback();
        if (fallback == null) {
            return unreplaced(null);
        }
        return Multi.createFrom().deferred(() -> {
            AtomicBoolean begun = new AtomicBoolean(); // what the body itself fails with is not for the fallback
            return unreplaced(begun)
                    .onFailure(failure -> failure instanceof LockBusyException && !begun.get())
                    .recoverWithMulti(busy -> instead(fallback, (LockBusyException) busy));
        });
    }

    @SuppressWarnings("unchecked")
    private Multi<Object> instead(Fallback fallback, LockBusyException busy) {
        try {
            return (Multi<Object>) fallback.call(invocation.getTarget(), invocation.getParameters(), busy);
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }

    private Multi<Object> unreplaced(@Nullable AtomicBoolean begun) {
        if (!method.several()) {
            return locked(begun, null);
        }
        return Multi.createFrom().deferred(() -> {
            SeveralNames several = new SeveralNames(method, invocation.getParameters());
            return Multi.createFrom().deferred(() -> {
                LockedInterceptor.forgetPipeline(invocation);
                return locked(begun, several);
            }).onFailure(several::beginsAnew).retry().indefinitely();
        });
    }

    private Multi<Object> locked(@Nullable AtomicBoolean begun, @Nullable SeveralNames several) {
        return Multi.createFrom().deferred(() -> {
            String name = several == null ? method.name(invocation.getParameters()) : several.next();
            Transactions.Current transaction = interceptor.transaction();
            Hold bound = transaction == null ? null : transaction.boundHold(method.engine(), name);
            if (bound == null) {
                interceptor.activeTransaction(transaction, method, name);
            }
            return Pipelines.lockedMulti(method.engine(), name, several == null ? method.settings() : several.settings(),
                    bound, method.onBusy() == OnBusy.SKIP, (hold, pipeline) -> {
                        if (hold != bound) {
                            LockedInterceptor.bind(transaction, hold, method, several);
                        }
                        if (method.transactional()) {
                            LockedInterceptor.keep(invocation, several == null ? null
                                    : LockedInterceptor.pipeline(invocation), pipeline);
                        }
                        return several == null ? body(begun) : next(begun, several, hold);
                    });
        });
    }

    private Multi<Object> next(@Nullable AtomicBoolean begun, SeveralNames several, Hold hold) {
        several.taken(hold);
        if (!several.allTaken()) {
            return locked(begun, several);
        }
        several.beginBody();
        return body(begun);
    }

    @SuppressWarnings("unchecked")
    private Multi<Object> body(@Nullable AtomicBoolean begun) {
        if (begun != null) {
            begun.set(true);
        }
        try {
            return (Multi<Object>) invocation.proceed();
        } catch (Exception e) {
            return Multi.createFrom().failure(e);
        }
    }
}
