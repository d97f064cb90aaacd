package io.quarkiverse.lock.deployment.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** What a parameter's type does not say is known when the method is called. */
class TextlessValuesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Product.class, Book.class, Numbered.class, Told.class,
                    Looks.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Test
    void fault167_valuesWithoutATextAreRefused() {
        refused(() -> orders.object(new Book()), Book.class.getName());
        refused(() -> orders.object(new byte[1]), "[B");
        refused(() -> orders.object(new Numbered(7)), Numbered.class.getName());
        refused(() -> orders.supplier(() -> "text"), "Lambda");
        refused(() -> orders.sealed(new Book()), Book.class.getName());
        refused(() -> orders.uni(new Book()).await().indefinitely(), Book.class.getName());
    }

    private static void refused(ThrowingCallable call, String type) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The lock name of " + Orders.class.getName())
                .hasMessageContaining("{it}").hasMessageContaining(type).hasMessageContaining("toString()");
    }

    @Test
    void othersAreNames() {
        assertThat(orders.object("java.lang.String@1")).isEqualTo("java.lang.String@1");
        assertThat(orders.object(List.of(1))).isEqualTo("[1]");
        assertThat(orders.object(new Told())).isEqualTo("told");
        assertThat(orders.object(new Looks())).isEqualTo(Looks.class.getName() + "@7");
    }

    sealed interface Product permits Book {
    }

    static final class Book implements Product {
    }

    static class Numbered {

        private final int number;

        Numbered(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Numbered numbered && numbered.number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    static class Told {

        @Override
        public String toString() {
            return "told";
        }
    }

    static class Looks {

        @Override
        public String toString() {
            return getClass().getName() + "@7";
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("{it}")
        String object(Object it) {
            return held();
        }

        @Locked("{it}")
        String supplier(Supplier<String> it) {
            return held();
        }

        @Locked("{it}")
        String sealed(Product it) {
            return held();
        }

        @Locked("{it}")
        Uni<String> uni(Object it) {
            return Uni.createFrom().item(held());
        }

        private static String held() {
            return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                    .orElse("nothing");
        }
    }
}
