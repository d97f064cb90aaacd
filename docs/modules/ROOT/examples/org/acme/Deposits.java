package org.acme;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.hibernate.reactive.panache.common.WithTransaction;
import io.smallrye.mutiny.Uni;

@ApplicationScoped
public class Deposits {

    @Locked("account-{id}")
    @WithTransaction
    public Uni<Long> deposit(String id, long amount) {
        return Account.<Account> findById(id).map(account -> account.balance += amount); // <1>
    }
}
