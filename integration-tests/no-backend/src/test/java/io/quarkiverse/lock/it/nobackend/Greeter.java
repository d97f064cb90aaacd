package io.quarkiverse.lock.it.nobackend;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

@ApplicationScoped
class Greeter {

    @Locked("greeting-{whom}")
    String greet(String whom) {
        return "Hello " + whom;
    }
}
