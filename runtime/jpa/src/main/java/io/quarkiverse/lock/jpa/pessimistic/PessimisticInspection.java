package io.quarkiverse.lock.jpa.pessimistic;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Whether a transaction elsewhere has a name's row locked. Nothing tells which one. */
public final class PessimisticInspection extends AbstractUni<Optional<LockInfo>> {

    private final PessimisticLockBackend backend;
    private final String name;

    PessimisticInspection(PessimisticLockBackend backend, String name) {
        this.backend = backend;
        this.name = name;
    }

    @Override
    public void subscribe(UniSubscriber<? super Optional<LockInfo>> subscriber) {
        Uni<Optional<LockInfo>> look = Uni.createFrom().item(this::look).runSubscriptionOn(task -> {
            if (!backend.database().workers().run(task)) {
                throw backend.database().explain().closed(name);
            }
        });
        AbstractUni.subscribe(look, subscriber);
    }

    private Optional<LockInfo> look() {
        LockDatabase database = backend.database();
        try {
            boolean held = database.call(database.deadline(),
                    connection -> backend.rowLock().held(connection.jdbc(), backend.id(name)));
            return held ? Optional.of(PessimisticLockBackend.info(name, "a transaction of another JVM or connection", 0,
                    Duration.ZERO)) : Optional.empty();
        } catch (SQLException | RuntimeException e) {
            throw database.explain().failure(name, e);
        }
    }
}
