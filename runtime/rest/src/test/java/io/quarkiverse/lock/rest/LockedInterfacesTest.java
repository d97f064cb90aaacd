package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** JAX-RS finds its annotations on a resource's interface, but the container does not find ours there. */
class LockedInterfacesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, OrdersResource.class, Unregistered.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> assertThat(failure)
                    .hasMessageContaining("[class=" + Orders.class.getName() + ", method=pay] @Locked has no effect in bean "
                            + OrdersResource.class.getName() + ": it is on a method that " + OrdersResource.class.getName()
                            + ".pay implements; put it there")
                    .hasMessageContaining("[class=" + Unregistered.class.getName() + ", method=pay] @Locked has no effect: "
                            + "no bean implements this interface; put it on the methods of a bean"));

    @Test
    void fault131_lockedOnResourceInterfaceFailsBuild() {
        Assertions.fail();
    }

    @Path("orders")
    public interface Orders {

        @GET
        @Locked("orders")
        String pay();
    }

    public static class OrdersResource implements Orders {

        @Override
        public String pay() {
            return "paid";
        }
    }

    /** A client that is not a bean, for {@code RestClientBuilder}. */
    @Path("orders")
    public interface Unregistered {

        @GET
        @Locked("orders")
        String pay();
    }
}
