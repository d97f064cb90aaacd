package io.quarkiverse.lock.deployment.template;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A name that cannot be used is reported with the method and the template that made it. */
class BadNamesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Test
    void fault387_emptyNameErrorNamesItsMethod() {
        refused(() -> orders.pay(""), "pay", "{id}", "must not be empty");
        refused(() -> orders.payLater("").await().indefinitely(), "payLater", "{id}", "must not be empty");
        refused(() -> orders.configured(), "configured", "${no.such.tenant:}", "must not be empty");
        refused(() -> orders.move("", "b"), "move", "{from}, {to}", "must not be empty");
    }

    @Test
    void fault387_tooLongNameErrorNamesItsMethod() {
        refused(() -> orders.pay("x".repeat(1025)), "pay", "{id}", "must not be longer than 1024 characters");
    }

    private static void refused(ThrowingCallable call, String method, String template, String problem) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The lock name of " + Orders.class.getName() + '.' + method + " cannot be made from \""
                        + template + "\": ")
                .hasMessageContaining(problem);
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("{id}")
        void pay(String id) {
        }

        @Locked("{id}")
        Uni<Void> payLater(String id) {
            return Uni.createFrom().voidItem();
        }

        @Locked("${no.such.tenant:}")
        void configured() {
        }

        @Locked({ "{from}", "{to}" })
        void move(String from, String to) {
        }
    }
}
