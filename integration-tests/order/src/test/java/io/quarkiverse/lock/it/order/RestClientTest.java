package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** The class of a client is generated; the interface declares what its methods lock. */
class RestClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Stock.class, StockClient.class, Levels.class, Held.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .overrideRuntimeConfigKey("quarkus.rest-client.stock.url", "http://localhost:${quarkus.http.test-port}");

    @Inject
    LockManager locks;

    @RestClient
    StockClient stock;

    @Test
    void fault126_templateUsesInterfaceParameters() {
        assertThat(stock.read("7")).isEqualTo("locked: true");
        assertThat(stock.level("a", 7)).isEqualTo("locked: true");
        try (LockHandle hold = locks.lock("stock-7").acquire()) {
            assertThatThrownBy(() -> stock.read("7")).isInstanceOf(LockBusyException.class);
            assertThat(stock.read("8")).isEqualTo("locked: true");
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Path("/stock")
    public static class Stock {

        @Inject
        Held held;

        @GET
        @Path("{id}")
        public String read(@PathParam("id") String id) {
            return "locked: " + held.is("stock-" + id);
        }

        @GET
        @Path("{id}/{level}")
        public String level(@PathParam("id") String id, @PathParam("level") int level) {
            return "locked: " + held.is("level-" + level);
        }
    }

    public interface Levels {

        @GET
        @Path("{id}/{level}")
        @Locked("level-{level}")
        String level(@PathParam("id") String id, @PathParam("level") int level);
    }

    @Path("/stock")
    @RegisterRestClient(configKey = "stock")
    public interface StockClient extends Levels {

        @GET
        @Path("{id}")
        @Locked(value = "stock-{id}", waitFor = "0")
        String read(@PathParam("id") String id);
    }
}
