package io.quarkiverse.lock.it.devui;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;

/** Complements {@link Orders} where the store can keep a lock for longer than its holder works. */
@ApplicationScoped
@Unremovable // nobody injects it
public class Receipts {

    @Locked(value = "receipt-{id}", holdAtLeast = "10ms", renew = "false")
    String print(String id) {
        return "printed";
    }
}
