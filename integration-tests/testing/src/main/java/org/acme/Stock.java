package org.acme;

import java.time.Duration;
import java.util.Optional;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.logging.Log;
import io.smallrye.mutiny.Uni;

@ApplicationScoped
public class Stock {

    @Inject
    LockManager locks;

    void count() {
        try (LockHandle hold = locks.lock("stock-7").acquire()) { // <1>
            Log.infof("Counted under the fencing token %d", hold.fencingToken());
        }
    }

    void countIfFree() {
        Optional<LockHandle> maybe = locks.lock("stock-7").tryAcquire(Duration.ofSeconds(1)); // <2>
        maybe.ifPresent(LockHandle::close);
    }

    Uni<Void> countLater() {
        return locks.lock("stock-7").acquireAsync() // <3>
                .chain(LockHandle::release);
    }

    int sell() throws Exception {
        return locks.lock("stock-7").call(() -> 1); // <4>
    }

    Uni<Integer> sellLater() {
        return locks.lock("stock-7").callAsync(() -> Uni.createFrom().item(1));
    }
}
