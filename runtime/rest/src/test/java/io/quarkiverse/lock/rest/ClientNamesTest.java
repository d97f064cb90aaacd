package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** The class of a REST client is generated, so its name is meaningless. */
class ClientNamesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Client.class, WholeClient.class, Resource.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.rest-client.named.url", "http://localhost:${quarkus.http.test-port}");

    @Inject
    @RestClient
    Client client;

    @Inject
    @RestClient
    WholeClient whole;

    @Test
    void fault169_lockNameUsesClientInterfaceName() {
        assertThat(client.held()).isEqualTo(Client.class.getName() + ".held");
        assertThat(whole.held()).isEqualTo(WholeClient.class.getName() + ".held");
    }

    @RegisterRestClient(configKey = "named")
    @Path("names")
    public interface Client {

        @GET
        @Locked
        String held();
    }

    @RegisterRestClient(configKey = "named")
    @Path("names")
    @Locked
    public interface WholeClient {

        @GET
        String held();
    }

    @Path("names")
    public static class Resource {

        @Inject
        LockManager locks;

        @GET
        public String held() {
            return locks.held().stream().map(HeldLock::name).findFirst().orElse("nothing");
        }
    }
}
