package io.quarkiverse.lock.engine;

import java.util.concurrent.CompletableFuture;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockDeadlockException;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** A pipeline that holds one lock and asks for another when told to. */
final class NestedCalls {

    final CompletableFuture<Void> go = new CompletableFuture<>();
    final UniAssertSubscriber<String> outcome;

    NestedCalls(DistributedLock outer, DistributedLock inner) {
        outcome = outer.callAsync(() -> Uni.createFrom().completionStage(go)
                .chain(() -> inner.callAsync(() -> Uni.createFrom().item("done"))))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
    }

    void asks() {
        go.complete(null);
    }

    boolean waits() {
        return outcome.getItem() == null && outcome.getFailure() == null;
    }

    boolean sentAway() {
        return outcome.getFailure() instanceof LockDeadlockException;
    }

    boolean done() {
        return "done".equals(outcome.getItem());
    }
}
