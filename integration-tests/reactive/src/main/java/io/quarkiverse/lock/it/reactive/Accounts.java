package io.quarkiverse.lock.it.reactive;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;

import org.acme.Account;
import org.hibernate.reactive.mutiny.Mutiny;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.Release;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.quarkus.hibernate.reactive.panache.common.WithSessionOnDemand;
import io.quarkus.hibernate.reactive.panache.common.WithTransaction;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Locked methods, each with a transaction. */
@ApplicationScoped
public class Accounts {

    private final Gates gates;
    private final Mutiny.SessionFactory sessions;
    private final AtomicInteger entered = new AtomicInteger();

    Accounts(Gates gates, Mutiny.SessionFactory sessions) {
        this.gates = gates;
        this.sessions = sessions;
    }

    /** How often a body has begun. */
    int entered() {
        return entered.get();
    }

    @Locked("account-{id}")
    @WithTransaction
    Uni<Long> deposit(String id, long amount) {
        entered.incrementAndGet();
        return Balances.add(id, amount);
    }

    @Locked("account-{id}")
    @WithTransaction
    Uni<Long> depositAndFail(String id, long amount) {
        return Balances.add(id, amount).call(() -> Panache.flush()).invoke(() -> {
            throw new IllegalStateException("on purpose");
        });
    }

    /** Writes before the gate are made in the transaction, and not committed. */
    @Locked("account-{id}")
    @WithTransaction
    Uni<Long> depositThenWait(String id, long amount) {
        return Balances.add(id, amount).call(() -> Panache.flush()).call(() -> gates.pass(id));
    }

    /** Two statements, one after the other. */
    @Locked("account-{id}")
    @WithTransaction
    Uni<Long> depositTwice(String id, String other, long amount) {
        return addTwice(id, other, amount);
    }

    /** For an existing transaction. */
    @Locked(value = "account-{id}", release = Release.ON_RETURN)
    Multi<Long> depositTwiceInStream(String id, String other, long amount) {
        return addTwice(id, other, amount).toMulti();
    }

    /** For an existing transaction. */
    @Locked(value = "account-{id}", release = Release.ON_RETURN)
    CompletionStage<Long> depositTwiceInStage(String id, String other, long amount) {
        return addTwice(id, other, amount).subscribeAsCompletionStage();
    }

    private Uni<Long> addTwice(String id, String other, long amount) {
        return Balances.add(id, amount).chain(() -> Balances.add(other, amount))
                .call(() -> Panache.flush()).call(() -> gates.pass(id));
    }

    @Locked({ "account-{from}", "account-{to}" })
    @WithTransaction
    Uni<Long> transferThenWait(String from, String to, long amount) {
        return Balances.add(from, -amount).chain(() -> Balances.add(to, amount))
                .call(() -> Panache.flush()).call(() -> gates.pass(from));
    }

    @Locked("account-{id}")
    @WithTransaction(stateless = true)
    Uni<Integer> depositStateless(String id, long amount) {
        return sessions.getCurrentStatelessSession()
                .createMutationQuery("update Account set balance = balance + ?1 where id = ?2")
                .setParameter(1, amount).setParameter(2, id).executeUpdate()
                .call(() -> gates.pass(id));
    }

    /** The method begins its own transaction, which therefore also ends inside the lock. */
    @Locked("account-{id}")
    Uni<Long> depositByHand(String id, long amount) {
        return sessions.withTransaction(session -> session.find(Account.class, id)
                .map(account -> account.balance += amount).call(session::flush).call(() -> gates.pass(id)));
    }

    @Locked(value = "account-{id}", release = Release.ON_RETURN)
    @WithTransaction
    Uni<Long> depositAndLetGo(String id, long amount) {
        return Balances.add(id, amount);
    }

    /** For an existing transaction. */
    @Locked(value = "account-{id}", release = Release.ON_RETURN)
    @WithTransaction
    Uni<Long> depositThenWaitAndLetGo(String id, long amount) {
        return Balances.add(id, amount).call(() -> Panache.flush()).call(() -> gates.pass(id));
    }

    /** For an existing transaction. */
    @Locked(value = "account-{id}", release = Release.ON_RETURN)
    CompletionStage<Long> depositThenWaitInStage(String id, long amount) {
        return Balances.add(id, amount).call(() -> Panache.flush()).call(() -> gates.pass(id)).subscribeAsCompletionStage();
    }

    @Locked("account-{id}")
    Multi<Long> balances(String id) {
        return Balances.of(id).map(account -> account.balance).toMulti();
    }

    @Locked({ "account-{id}", "account-{other}" })
    Multi<Long> balances(String id, String other) {
        return Balances.of(id).map(account -> account.balance).toMulti();
    }

    @Locked("account-{id}")
    CompletionStage<Long> balance(String id) {
        return Balances.of(id).map(account -> account.balance).subscribeAsCompletionStage();
    }

    @Locked({ "account-{id}", "account-{other}" })
    CompletionStage<Long> balance(String id, String other) {
        return Balances.of(id).map(account -> account.balance).subscribeAsCompletionStage();
    }

    /** Called where a session may not even be requested. */
    @Locked("account-{id}")
    @WithSessionOnDemand
    Uni<String> endingElsewhere(String id, Executor elsewhere) {
        return Uni.createFrom().item(id).emitOn(elsewhere);
    }

    @Locked("account-{id}")
    Uni<String> withoutDatabase(String id) {
        return Uni.createFrom().item(id);
    }

    @WithTransaction
    Uni<Long> inTransaction(Uni<Long> deposit) {
        return deposit;
    }

    @Locked("account-{id}")
    @WithTransaction
    Uni<Long> inLockAndTransaction(String id, Uni<Long> deposit) {
        return deposit;
    }
}
