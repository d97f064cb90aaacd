package io.quarkiverse.lock.deployment.places.elsewhere;

/** Has a method whose parameter type no other package can name. */
public class Hidden {

    static class Parameter {
    }

    protected void take(Parameter parameter) {
    }

    void packagePrivate() {
    }
}
