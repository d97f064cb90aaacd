package io.quarkiverse.lock.it.reactive;

import org.acme.Account;

import io.smallrye.mutiny.Uni;

final class Balances {

    private Balances() {
    }

    static Uni<Account> of(String id) {
        return Account.findById(id);
    }

    /** Written when the session flushes, which it does by itself before the commit. */
    static Uni<Long> add(String id, long amount) {
        return of(id).map(account -> account.balance += amount);
    }
}
