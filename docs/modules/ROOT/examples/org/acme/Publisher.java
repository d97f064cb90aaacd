package org.acme;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;

@ApplicationScoped
public class Publisher {

    @Inject
    LockManager locks;

    void publish(Runnable replace, Runnable announce) {
        try (LockHandle hold = locks.lock("catalog").acquire()) {
            replace.run();
            hold.downgrade(); // <1>
            announce.run();
        }
    }
}
