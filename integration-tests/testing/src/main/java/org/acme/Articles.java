package org.acme;

import static io.quarkiverse.lock.LockMode.SHARED;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

@ApplicationScoped
public class Articles {

    // tag::uni[]
    @Locked("catalog-{id}")
    Uni<String> refresh(String id) {
        return Uni.createFrom().item(id).map(String::toUpperCase);
    }
    // end::uni[]

    // tag::multi[]
    @Locked(value = "catalog", mode = SHARED)
    Multi<String> articles() {
        return Multi.createFrom().items("apple", "pear");
    }
    // end::multi[]
}
