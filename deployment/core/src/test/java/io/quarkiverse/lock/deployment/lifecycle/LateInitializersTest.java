package io.quarkiverse.lock.deployment.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.QuarkusUnitTest;

/**
 * A native image contains the objects that static initializers created during the build. Some of them must not be in it, such
 * as a {@code SecureRandom}.
 */
class LateInitializersTest {

    private static final String PREFIX = LateInitializersTest.class.getName() + '.';

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Order.class, Item.class, Generic.class, Base.class, Orders.class,
                    Start.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Start start;

    @Inject
    Orders orders;

    @AfterAll
    static void forget() {
        List.of("bean", "base", "parameter", "component", "bound").forEach(name -> System.clearProperty(PREFIX + name));
    }

    @Test
    void fault490_recordingLockedMethodsInitializesNoClasses() {
        assertThat(start.initializedByThen()).isEmpty();
        orders.pay(new Order("1"), new Item[0], 2, new long[0]);
        orders.refund(new Generic());
        assertThat(initialized()).contains("bean", "base", "parameter", "bound");
    }

    private static List<String> initialized() {
        List<String> names = new ArrayList<>();
        for (String name : List.of("bean", "base", "parameter", "component", "bound")) {
            if (System.getProperty(PREFIX + name) != null) {
                names.add(name);
            }
        }
        return names;
    }

    public static class Order {

        static {
            System.setProperty(PREFIX + "parameter", "yes");
        }

        private final String id;

        Order(String id) {
            this.id = id;
        }

        public String getId() {
            return id;
        }
    }

    public static class Item {

        static {
            System.setProperty(PREFIX + "component", "yes");
        }
    }

    public static class Generic {

        static {
            System.setProperty(PREFIX + "bound", "yes");
        }
    }

    public abstract static class Base<T extends Generic> {

        static {
            System.setProperty(PREFIX + "base", "yes");
        }

        @Locked
        public void refund(T what) {
        }
    }

    @ApplicationScoped
    public static class Orders extends Base<Generic> {

        static {
            System.setProperty(PREFIX + "bean", "yes");
        }

        @Locked("order-{order.id}-{count}")
        public void pay(Order order, Item[] items, int count, long[] prices) {
        }
    }

    @ApplicationScoped
    public static class Start {

        private List<String> atStart = List.of();

        void started(@Observes StartupEvent event) {
            atStart = LateInitializersTest.initialized();
        }

        List<String> initializedByThen() {
            return atStart;
        }
    }
}
