package io.quarkiverse.lock.runtime.call;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.news.ClosingException;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.method.BusyOutcome;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.transaction.Transactions;
import io.smallrye.mutiny.Context;

/** Calls of {@code @Locked} methods that hold their thread until they end. */
final class BlockingCalls {

    /** The key under which the interceptors of one invocation store the hold whose scope it opens. */
    private static final String SCOPE = "io.quarkiverse.lock.scope";

    private final TransactionsAround around;

    BlockingCalls(TransactionsAround around) {
        this.around = around;
    }

    @Nullable
    Object several(InvocationContext invocation, LockedMethod method) throws Exception {
        Scopes scopes = method.engine().scopes();
        NamesOfCall several = around.names(invocation, method, scopes, Context.empty());
        around.refuseToWaitForItself(several, method);
        Held held;
        try {
            held = method.engine().acquire().take(several.names(), method.settings(), several.known());
        } catch (ClosingException closing) {
            return BusyOutcome.closing(method, closing);
        }
        LockHold refused = held.refusedHold();
        if (refused != null) {
            return BusyOutcome.of(invocation, method, refused);
        }
        several.bind(held);
        return inside(invocation, method, scopes, held, 0);
    }

    /** Proceeds in the nested scopes of all holds; holds whose scope is already open are kept. */
    private @Nullable Object inside(InvocationContext invocation, LockedMethod method, Scopes scopes, Held held, int next)
            throws Exception {
        if (next == held.size()) {
            return scopes.together(held, () -> body(invocation, method, held));
        }
        LockHold hold = held.get(next);
        if (!scopes.inside(hold)) {
            return proceed(invocation, method, scopes, hold, held, next + 1);
        }
        try {
            return scopes.again(hold, () -> inside(invocation, method, scopes, held, next + 1));
        } finally {
            method.engine().release().leave(hold);
        }
    }

    @Nullable
    Object one(InvocationContext invocation, LockedMethod method) throws Exception {
        String name = method.name(invocation.getParameters());
        Scopes scopes = method.engine().scopes();
        LockHold enclosing = scopes.enclosing(name, method.settings());
        if (enclosing != null) {
            return scopes.again(enclosing, () -> body(invocation, method, enclosing));
        }
        Transactions.Current active = around.current();
        LockHold bound = active == null ? null : active.boundHold(method.engine(), name);
        if (bound != null && bound.enterFor(method.settings())) {
            return proceed(invocation, method, scopes, bound, null, 0);
        }
        Transactions.Current transaction = around.ofNewLocks(active, invocation);
        around.refuseToWaitForItself(name, method);
        around.beforeTaking(transaction, method, name);
        LockHold hold;
        try {
            hold = method.engine().acquire().tryAcquire(name, method.settings());
        } catch (ClosingException closing) {
            return BusyOutcome.closing(method, closing);
        }
        if (hold.refused()) {
            return BusyOutcome.of(invocation, method, hold);
        }
        TransactionsAround.bind(transaction, hold, method, hold);
        return proceed(invocation, method, scopes, hold, null, 0);
    }

    /**
     * @param others the locks, of which those from {@code next} on must still be put around the method; {@code null} for a
     *        single lock
     */
    private @Nullable Object proceed(InvocationContext invocation, LockedMethod method, Scopes scopes, LockHold hold,
            @Nullable Held others, int next) throws Exception {
        if (hold.interruptsOnLoss()) {
            invocation.getContextData().put(others == null ? SCOPE : SCOPE + hold.name(), hold);
        }
        scopes.begin(hold);
        Object result;
        try {
            result = others == null ? body(invocation, method, hold) : inside(invocation, method, scopes, others, next);
        } catch (Throwable failure) { // a method may declare any
            Throwable told = around.told(failure, hold, method);
            scopes.end(hold, told);
            if (told instanceof LockLostException loss) {
                throw loss;
            }
            throw failure;
        }
        scopes.end(hold, null);
        return result;
    }

    private static @Nullable Object body(InvocationContext invocation, LockedMethod method, Held held) throws Exception {
        InvocationHolds.put(invocation, method, held);
        return LaterWork.body(invocation, method);
    }

    /** Whether this very invocation opens the scope of the hold; known only for holds that interrupt on loss. */
    static boolean opensScope(InvocationContext invocation, LockHold hold) {
        return hold.interruptsOnLoss() && (invocation.getContextData().get(SCOPE) == hold
                || invocation.getContextData().get(SCOPE + hold.name()) == hold);
    }
}
