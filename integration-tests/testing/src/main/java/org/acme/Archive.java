package org.acme;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;

@ApplicationScoped
public class Archive {

    @Inject
    LockManager locks;

    void write(Runnable rewind, Runnable write) {
        try (LockHandle hold = locks.lock("archive").acquire()) {
            hold.extend(Duration.ofHours(1)); // <1>
            rewind.run();
            hold.changeLease(Duration.ofSeconds(20)); // <2>
            write.run();
            hold.changeHoldAtLeast(Duration.ofMinutes(10)); // <3>
        }
    }
}
