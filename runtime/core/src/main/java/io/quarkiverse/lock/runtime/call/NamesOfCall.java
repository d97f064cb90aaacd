package io.quarkiverse.lock.runtime.call;

import java.util.function.Supplier;

import jakarta.interceptor.InvocationContext;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.acquire.Scopes;
import io.quarkiverse.lock.engine.state.Held;
import io.quarkiverse.lock.engine.state.LockHold;
import io.quarkiverse.lock.runtime.method.LockedMethod;
import io.quarkiverse.lock.runtime.transaction.Transactions;

/** One call, or one subscription, under one or several locks: their names, and the holds the caller already has of them. */
final class NamesOfCall {

    private final LockedMethod method;
    private final String[] names;
    private final @Nullable LockHold[] known;
    private final Transactions.@Nullable Current transaction;

    /** @param scopes where the caller may already have holds; {@code null} if that depends on the subscriber */
    NamesOfCall(InvocationContext invocation, LockedMethod method, TransactionsAround around, @Nullable Scopes scopes) {
        this.method = method;
        Transactions.Current active = around.current();
        transaction = around.ofNewLocks(active, invocation);
        names = method.names(invocation.getParameters());
        known = new LockHold[names.length];
        for (int i = 0; i < names.length; i++) {
            if (scopes != null) {
                known[i] = scopes.enclosing(names[i], method.settings());
            }
            if (known[i] == null && active != null) {
                known[i] = active.boundHold(method.engine(), names[i]);
            }
        }
    }

    /** The names in the order in which they are taken. */
    String[] names() {
        return names;
    }

    /** For each name, a hold that the caller already has, or {@code null}. */
    @Nullable
    LockHold[] known() {
        return known;
    }

    /** The surrounding transaction; {@code null} if there is none, or if the method suspends it. */
    Transactions.@Nullable Current transaction() {
        return transaction;
    }

    /** Runs the call in the surrounding transaction, even if a wait has led to another thread. */
    <T> T inTransaction(Supplier<T> call) {
        return transaction == null ? call.get() : transaction.call(call);
    }

    /** Makes the surrounding transaction a user of the new holds; only {@link #inTransaction}. */
    void bind(Held held) {
        for (int i = 0; i < known.length; i++) {
            if (held.get(i) != known[i]) {
                TransactionsAround.bind(transaction, held.get(i), method, held);
            }
        }
    }
}
