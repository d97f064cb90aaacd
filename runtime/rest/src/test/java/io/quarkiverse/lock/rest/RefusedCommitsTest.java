package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.mutiny.Uni;

/** A lock that was taken inside a transaction is lost: only the commit finds out, after every method with a lock has ended. */
class RefusedCommitsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class, Orders.class, LostLocks.class, Problems.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0");

    @TestHTTPResource
    URI server;

    @ParameterizedTest
    @ValueSource(strings = { "now", "later" })
    void fault498_lost(String path) throws Exception {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(server.resolve("/commits/" + path)).build(), BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.body()).contains("\"title\":\"Lock lost\"");
    }

    @Path("commits")
    public static class Resource {

        @Inject
        Orders orders;

        @Inject
        LockManager locks;

        @GET
        @Path("now")
        @Transactional
        public String now() {
            orders.pay();
            locks.forceRelease("order");
            return "paid";
        }

        @GET
        @Path("later")
        @Transactional
        public Uni<String> later() {
            return Uni.createFrom().item(now());
        }
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order")
        void pay() {
        }
    }
}
