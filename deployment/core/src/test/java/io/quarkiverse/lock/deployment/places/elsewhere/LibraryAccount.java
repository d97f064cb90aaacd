package io.quarkiverse.lock.deployment.places.elsewhere;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;

/** Has nothing that would make it a bean. */
public class LibraryAccount {

    @Locked("library-{id}")
    public String pay(String id) {
        return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                .orElse("nothing");
    }
}
