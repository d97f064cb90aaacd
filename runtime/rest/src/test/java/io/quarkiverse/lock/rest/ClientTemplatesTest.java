package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import jakarta.inject.Inject;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** The class of a REST client is generated, but its arguments have the application's types. */
class ClientTemplatesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(StockClient.class, Order.class, Resource.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.rest-client.named.url", "http://localhost:${quarkus.http.test-port}");

    @Inject
    @RestClient
    StockClient client;

    @Inject
    LockManager locks;

    @Test
    void fault489_lockNamesUseApplicationTypes() {
        assertThatNoException()
                .isThrownBy(() -> assertThat(client.send(new Order("7"))).isEqualTo("stock-7"));
    }

    @Test
    void fault489_clientFallbackIsCalled() {
        LockHandle elsewhere = CompletableFuture.supplyAsync(() -> locks.lock("stock-7").acquire()).join();
        try {
            assertThatNoException()
                    .isThrownBy(() -> assertThat(client.sendNow(new Order("7"))).isEqualTo("later 7"));
        } finally {
            elsewhere.close();
        }
    }

    @RegisterRestClient(configKey = "named")
    @Path("stock")
    public interface StockClient {

        @POST
        @Locked("stock-{order.id}")
        String send(@BeanParam Order order);

        @POST
        @Path("now")
        @Locked(value = "stock-{order.id}", waitFor = "0", onBusy = Locked.OnBusy.FALLBACK, fallbackMethod = "later")
        String sendNow(@BeanParam Order order);

        @POST
        @Path("later")
        String later(@BeanParam Order order);
    }

    public static class Order {

        @QueryParam("id")
        public String id;

        public Order() {
        }

        Order(String id) {
            this.id = id;
        }
    }

    @Path("stock")
    public static class Resource {

        @Inject
        LockManager locks;

        @POST
        public String send() {
            return locks.held().stream().map(HeldLock::name).collect(Collectors.joining());
        }

        @POST
        @Path("later")
        public String later(@QueryParam("id") String id) {
            return "later " + id;
        }
    }
}
