package io.quarkiverse.lock.deployment.places.elsewhere;

/** Has a method that no other package can name the parameter of. */
public class Hidden {

    static class Parameter {
    }

    protected void take(Parameter parameter) {
    }

    void packagePrivate() {
    }
}
