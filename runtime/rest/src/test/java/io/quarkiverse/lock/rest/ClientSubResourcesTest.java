package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** The sub-resource of a REST client cannot be a bean. */
class ClientSubResourcesTest {

    private static final String BEAN = "put @Locked on the method of a bean that calls the sub-client";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Shop.class, WholeShop.class, Orders.class, OrdersResource.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records)
                    .extracting(record -> String.format(record.getMessage(), record.getParameters()))
                    .filteredOn(message -> message.contains("sub-resource")).singleElement().asString()
                    .contains("[" + WholeShop.class.getName() + ".orders]", BEAN))
            .assertException(failure -> assertThat(failure.getMessage().lines()
                    .filter(line -> line.contains("sub-resource locator"))).singleElement().asString()
                    .contains("[class=" + Shop.class.getName() + ", method=orders]", BEAN));

    @Test
    void clientsAreToldToLockTheCaller() {
        Assertions.fail();
    }

    public interface Orders {

        @GET
        String all();
    }

    @RegisterRestClient(configKey = "shop")
    @Path("shop")
    public interface Shop {

        @Path("orders")
        @Locked
        Orders orders();
    }

    @RegisterRestClient(configKey = "shop")
    @Path("shop")
    @Locked("whole")
    public interface WholeShop {

        @Path("orders")
        Orders orders();

        @GET
        String all();
    }

    @Path("shop/orders")
    public static class OrdersResource {

        @GET
        public String all() {
            return "";
        }
    }
}
