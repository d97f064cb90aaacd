package org.acme;

import static io.quarkiverse.lock.LockMode.SHARED;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Multi;

@ApplicationScoped
public class ArticleStream {

    @Locked(value = "catalog", mode = SHARED)
    Multi<String> articles() {
        return Multi.createFrom().items("apple", "pear");
    }
}
