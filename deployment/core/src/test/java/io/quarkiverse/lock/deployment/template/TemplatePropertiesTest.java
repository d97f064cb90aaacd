package io.quarkiverse.lock.deployment.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** Names are built from parameters, getters, record components and public fields, at any depth. */
class TemplatePropertiesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("shop.tenant", "acme")
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Order.class, Customer.class, Entity.class, Address.class,
                    Holder.class, Named.class, Base.class));

    @Inject
    Orders orders;

    @Test
    void namesUseAllKindsOfProperties() {
        UUID id = UUID.fromString("0000007b-0000-01c8-0000-000000000315");
        Order order = new Order(7, new Customer("jo", new Address("Ghent", true)));

        assertThat(orders.parameter("x")).isEqualTo("order-x");
        assertThat(orders.primitives(1, 2L, 'c', true)).isEqualTo("1-2-c-true");
        assertThat(orders.record(order)).isEqualTo("order-7");
        assertThat(orders.deep(order)).isEqualTo("city-Ghent-true");
        assertThat(orders.inherited(order.customer())).isEqualTo("entity-42");
        assertThat(orders.throughInterface(order.customer())).isEqualTo("named-jo");
        assertThat(orders.ofTheJdk(id)).isEqualTo("uuid-" + id.getMostSignificantBits());
        assertThat(orders.generic(new Holder<>(order))).isEqualTo("held-7");
        assertThat(orders.genericList(new Holder<>(List.of()))).isEqualTo("empty-true");
        assertThat(orders.ofTypeVariable(order)).isEqualTo("base-7");
    }

    @Test
    void namesKeepTextAroundParts() {
        assertThat(orders.literalBraces("x")).isEqualTo("{x}");
        assertThat(orders.configured("7")).isEqualTo("acme-none-7");
        assertThat(orders.withoutTemplate()).isEqualTo(Orders.class.getName() + ".withoutTemplate");
    }

    @Test
    void differentPartsYieldDifferentNames() {
        assertThat(orders.two("1", "2")).isEqualTo("1-2");
        assertThat(orders.two("1-2", "3")).isEqualTo("1\\-2-3").isNotEqualTo(orders.two("1", "2-3"));
        assertThat(orders.two("1\\", "2")).isEqualTo("1\\\\-2").isNotEqualTo(orders.two("1", "\\-2"));
        assertThat(orders.adjacent("1", "23")).isEqualTo("1,23").isNotEqualTo(orders.adjacent("12", "3"));
        assertThat(orders.adjacent("1,2", "3")).isEqualTo("1\\,2,3").isNotEqualTo(orders.adjacent("1", "2,3"));
        assertThat(orders.parameter("a-b\\")).as("one part is not escaped").isEqualTo("order-a-b\\");
    }

    @Test
    void partsMustNotBeNull() {
        assertThatThrownBy(() -> orders.parameter(null)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Orders.class.getName() + ".parameter").hasMessageContaining("{id} is null");
        assertThatThrownBy(() -> orders.deep(new Order(1, null))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("{order.customer} is null");
        assertThatThrownBy(() -> orders.deep(new Order(1, new Customer("jo", new Address(null, false)))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("{order.customer.address.city} is null");
    }

    @ApplicationScoped
    public static class Orders extends Base<Order> {

        @Inject
        LockManager locks;

        private String held() {
            return locks.held().stream().map(HeldLock::name).findFirst().orElse("nothing");
        }

        @Override
        String now() {
            return held();
        }

        @Locked("order-{id}")
        String parameter(String id) {
            return held();
        }

        @Locked("{a}-{b}-{c}-{d}")
        String primitives(int a, long b, char c, boolean d) {
            return held();
        }

        @Locked("order-{order.id}")
        String record(Order order) {
            return held();
        }

        @Locked("city-{order.customer.address.city}-{order.customer.address.capital}")
        String deep(Order order) {
            return held();
        }

        @Locked("entity-{customer.key}")
        String inherited(Customer customer) {
            return held();
        }

        @Locked("named-{named.name}")
        String throughInterface(Named named) {
            return held();
        }

        @Locked("uuid-{id.mostSignificantBits}")
        String ofTheJdk(UUID id) {
            return held();
        }

        @Locked("held-{holder.value.id}")
        String generic(Holder<Order> holder) {
            return held();
        }

        @Locked("empty-{holder.value.empty}")
        String genericList(Holder<? extends List<String>> holder) {
            return held();
        }

        @Locked("{{{id}}}")
        String literalBraces(String id) {
            return held();
        }

        @Locked("${shop.tenant}-${shop.branch:none}-{id}")
        String configured(String id) {
            return held();
        }

        @Locked
        String withoutTemplate() {
            return held();
        }

        @Locked("{a}-{b}")
        String two(String a, String b) {
            return held();
        }

        @Locked("{a}{b}")
        String adjacent(String a, String b) {
            return held();
        }
    }

    public static class Base<T> {

        String now() {
            return "nothing";
        }

        @Locked("base-{item.id}")
        String ofTypeVariable(T item) {
            return now();
        }
    }

    record Order(int id, Customer customer) {
    }

    interface Named {
        String getName();
    }

    static class Entity {
        public long key = 42;
    }

    static class Customer extends Entity implements Named {
        private final String name;
        private final Address address;

        Customer(String name, Address address) {
            this.name = name;
            this.address = address;
        }

        @Override
        public String getName() {
            return name;
        }

        public Address getAddress() {
            return address;
        }

        public Optional<String> getNote() {
            return Optional.empty();
        }
    }

    static class Address {
        public final String city;
        private final boolean capital;

        Address(String city, boolean capital) {
            this.city = city;
            this.capital = capital;
        }

        public boolean isCapital() {
            return capital;
        }
    }

    static class Holder<T> {
        private final T value;

        Holder(T value) {
            this.value = value;
        }

        public T getValue() {
            return value;
        }
    }
}
