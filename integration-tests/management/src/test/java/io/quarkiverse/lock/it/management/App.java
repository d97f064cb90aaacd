package io.quarkiverse.lock.it.management;

import io.quarkus.test.QuarkusUnitTest;

/** Applications with the endpoint. */
final class App {

    private App() {
    }

    static QuarkusUnitTest withEndpoint() {
        return new QuarkusUnitTest()
                .withApplicationRoot(jar -> jar.addClasses(App.class, Operator.class))
                .overrideConfigKey("quarkus.lock.backend", "local")
                .overrideConfigKey("quarkus.lock.management.enabled", "true")
                .overrideConfigKey("quarkus.management.enabled", "true")
                .overrideRuntimeConfigKey("quarkus.management.test-port", "0")
                .overrideRuntimeConfigKey("quarkus.http.test-port", "0");
    }

    /** An application that knows one user. */
    static QuarkusUnitTest withUsers() {
        return withEndpoint()
                .overrideConfigKey("quarkus.management.auth.basic", "true")
                .overrideConfigKey("quarkus.security.users.embedded.enabled", "true")
                .overrideConfigKey("quarkus.security.users.embedded.plain-text", "true")
                .overrideConfigKey("quarkus.security.users.embedded.users.olga", "secret")
                .overrideConfigKey("quarkus.security.users.embedded.roles.olga", "operator");
    }
}
