package io.quarkiverse.lock.it.twobackends;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

@ApplicationScoped
class Counter {

    private int count;

    @Locked("counter")
    int next() {
        return ++count;
    }
}
