package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** The interface of a REST client becomes a bean, so it can carry the annotation. */
class LockedRestTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Client.class, WholeClient.class, Resource.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.rest-client.locked.url", "http://localhost:${quarkus.http.test-port}");

    @Inject
    @RestClient
    Client client;

    @Inject
    @RestClient
    WholeClient whole;

    @Test
    void fault131_clientCallsHoldInterfaceLocks() {
        assertThat(client.held("7")).isEqualTo("order-7");
        assertThat(client.inDefault("8")).isEqualTo("default-8");
        assertThat(whole.held("9")).isEqualTo("whole");
    }

    @RegisterRestClient(configKey = "locked")
    @Path("held/{id}")
    public interface Client {

        @GET
        @Locked("order-{id}")
        String held(@PathParam("id") String id);

        @Locked("default-{id}")
        default String inDefault(String id) {
            return unlocked(id);
        }

        @GET
        String unlocked(@PathParam("id") String id);
    }

    @RegisterRestClient(configKey = "locked")
    @Path("held/{id}")
    @Locked("whole")
    public interface WholeClient {

        @GET
        String held(@PathParam("id") String id);
    }

    @Path("held/{id}")
    public static class Resource {

        @Inject
        LockManager locks;

        @GET
        public String held(@PathParam("id") String id) {
            return locks.held().stream().map(HeldLock::name).findFirst().orElse("nothing");
        }
    }
}
