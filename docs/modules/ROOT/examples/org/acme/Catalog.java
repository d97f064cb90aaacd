package org.acme;

import static io.quarkiverse.lock.LockMode.SHARED;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

@ApplicationScoped
public class Catalog {

    private final List<String> articles = new CopyOnWriteArrayList<>();

    @Locked(value = "catalog", mode = SHARED) // <1>
    List<String> read() {
        return List.copyOf(articles);
    }

    @Locked("catalog") // <2>
    void add(String article) {
        articles.add(article);
    }

    @Locked(value = "export", limit = 5) // <3>
    String export() {
        return String.join("\n", articles);
    }
}
