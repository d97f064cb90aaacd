package io.quarkiverse.lock.jpa;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.lock.LockInfo;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Whether a transaction elsewhere has a name's row locked: found out by trying, since nothing tells who. For that moment a
 * claim
 * that does not wait finds the name busy.
 */
final class PessimisticInspection extends AbstractUni<Optional<LockInfo>> {

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
            database.<Boolean> transaction(database.deadline(), connection -> backend.rowLock().lock(connection.jdbc(),
                    backend.id(name), 0, statement -> {
                    }) != null);
            return Optional.empty();
        } catch (SQLException | RuntimeException e) {
            if (RowLockFailure.of(e) == RowLockFailure.BUSY) {
                return Optional.of(PessimisticLockBackend.info(name, "a transaction of another JVM or connection", 0,
                        Duration.ZERO));
            }
            throw database.explain().failure(name, e);
        }
    }
}
