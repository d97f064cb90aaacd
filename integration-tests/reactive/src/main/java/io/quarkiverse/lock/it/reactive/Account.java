package io.quarkiverse.lock.it.reactive;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import io.smallrye.mutiny.Uni;

@Entity
public class Account extends PanacheEntityBase {

    @Id
    public String id;

    public long balance;

    static Uni<Account> of(String id) {
        return findById(id);
    }

    /** Written when the session flushes, which it does by itself before the commit. */
    static Uni<Long> add(String id, long amount) {
        return of(id).map(account -> account.balance += amount);
    }
}
