package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.jpa.database.ErrorMessages;
import io.quarkiverse.lock.jpa.database.Steps;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Whether a transaction elsewhere has a name's row locked. Which one is unknown. */
public final class PessimisticInspection extends AbstractUni<Optional<LockInfo>> {

    private final String name;
    private final String id;
    private final RowLock rowLock;
    private final Steps steps;
    private final Predicate<Runnable> worker;
    private final ErrorMessages errors;

    /** @param worker runs a task where {@code steps} may be run; false if it takes no more */
    PessimisticInspection(String name, String id, RowLock rowLock, Steps steps, Predicate<Runnable> worker,
            ErrorMessages errors) {
        this.name = name;
        this.id = id;
        this.rowLock = rowLock;
        this.steps = steps;
        this.worker = worker;
        this.errors = errors;
    }

    @Override
    public void subscribe(UniSubscriber<? super Optional<LockInfo>> subscriber) {
        Uni<Optional<LockInfo>> look = Uni.createFrom().item(this::look).runSubscriptionOn(task -> {
            if (!worker.test(task)) {
                throw errors.closed(name);
            }
        });
        AbstractUni.subscribe(look, subscriber);
    }

    private Optional<LockInfo> look() {
        try {
            boolean held = steps.call(steps.deadline(),
                    connection -> rowLock.held(connection.jdbc(), id));
            return held ? Optional.of(elsewhere(name)) : Optional.empty();
        } catch (SQLException | RuntimeException e) {
            throw errors.failure(name, e);
        }
    }

    static LockInfo elsewhere(String name) {
        return info(name, "a transaction of another JVM or connection", 0, Duration.ZERO);
    }

    static LockInfo info(String name, String owner, long token, Duration heldFor) {
        return new LockInfo(name, List.of(new LockInfo.Holder(owner, token, LockMode.EXCLUSIVE, 0, heldFor, Duration.ZERO)), 0);
    }
}
