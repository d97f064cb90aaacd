package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** The method of a sub-resource is called only after its locator has returned, and so has released its lock. */
class SubResourceLocatorsTest {

    private static final String BEAN = "which has to be a bean, and the locator has to return the injected one";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Shop.class, Orders.class, Order.class, OrdersOf.class, OrdersBean.class,
                    Finder.class, OrderFinder.class, WholeClass.class, Path.class, GET.class, HttpMethod.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records)
                    .extracting(record -> String.format(record.getMessage(), record.getParameters()))
                    .filteredOn(message -> message.contains("sub-resource")).singleElement().asString()
                    .contains("[" + WholeClass.class.getName() + ".order]", Order.class.getName(), BEAN,
                            "exempt the locator with @NoClassInterceptors, but from all interceptors of the class"))
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Shop.class, "order", "sub-resource locator", "put @Locked on the methods of "
                        + Order.class.getName() + ", " + BEAN);
                problems.has(Shop.class, "byClass", "of " + Order.class.getName() + ",");
                problems.has(Shop.class, "untyped", "of the sub-resource,");
                problems.has(Shop.class, "ofAnyClass", "of the sub-resource,");
                problems.has(Orders.class, "implementing", "sub-resource locator", "of " + Order.class.getName() + ",");
                problems.has(OrdersBean.class, "generic", "sub-resource locator");
                problems.has(OrderFinder.class, "found", "of " + Order.class.getName() + ",");
                problems.nothingOf(WholeClass.class);
                assertThat(failure.getMessage()).doesNotContain("method=right");
            });

    @Test
    void fault579_lockedSubResourceLocatorIsRejected() {
        Assertions.fail();
    }

    public static class Order {
    }

    public interface OrdersOf<T> {

        @Path("implementing")
        Order implementing(int id);

        @Path("generic")
        Order generic(T id);

        @GET
        @Path("right")
        String rightEndpoint();
    }

    @ApplicationScoped
    @Unremovable
    public static class Shop {

        @Path("order")
        @Locked
        public Order order() {
            return new Order();
        }

        @Path("by-class")
        @Locked
        public Class<Order> byClass() {
            return Order.class;
        }

        @Path("untyped")
        @Locked
        public Object untyped() {
            return new Order();
        }

        @Path("of-any-class")
        @Locked
        public Class<?> ofAnyClass() {
            return Order.class;
        }

        @GET
        @Path("right")
        @Locked
        public String rightEndpoint() {
            return "";
        }

        /** Called by the application, not by REST. */
        @Locked
        public Order rightHelper() {
            return new Order();
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders implements OrdersOf<String> {

        @Override
        @Locked
        public Order implementing(int id) {
            return new Order();
        }

        @Override
        public Order generic(String id) {
            return new Order();
        }

        @Override
        @Locked
        public String rightEndpoint() {
            return "";
        }

        /** An overload of a locator. */
        @Locked
        public Order rightEndpoint(int id) {
            return new Order();
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class OrdersBean implements OrdersOf<Long> {

        @Override
        public Order implementing(int id) {
            return new Order();
        }

        @Override
        @Locked
        public Order generic(Long id) {
            return new Order();
        }

        @Override
        public String rightEndpoint() {
            return "";
        }
    }

    public abstract static class Finder<T> {

        @Path("found")
        @Locked
        public T found() {
            return null;
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class OrderFinder extends Finder<Order> {
    }

    @ApplicationScoped
    @Unremovable
    @Locked("whole")
    public static class WholeClass {

        @Path("order")
        public Order order() {
            return new Order();
        }

        @GET
        @Path("all")
        public String all() {
            return "";
        }
    }
}
