package org.acme;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Uni;

@ApplicationScoped
public class Articles {

    @Locked("article-{id}")
    Uni<String> refresh(String id) {
        return Uni.createFrom().item(id).map(String::toUpperCase);
    }
}
