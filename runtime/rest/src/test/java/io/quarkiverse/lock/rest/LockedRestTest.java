package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.jboss.resteasy.reactive.ResponseHeader;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestMulti;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.mutiny.Multi;

/** The annotation on endpoints, and on the interface of a REST client, which becomes a bean. */
class LockedRestTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Client.class, WholeClient.class, Resource.class, Till.class,
                    Rows.class, Items.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.rest-client.locked.url", "http://localhost:${quarkus.http.test-port}");

    @TestHTTPResource
    URI server;

    @Inject
    LockManager locks;

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

    @Test
    void fault577_exceptionMapperOfLockedClassTakesNoLock() throws Exception {
        assertThat(get("till").body()).isEqualTo("till");
        try (LockHandle hold = locks.lock("till").acquire()) {
            HttpResponse<String> answer = get("till");
            assertThat(answer.statusCode()).isEqualTo(409);
            assertThat(answer.body()).isEqualTo("closed by " + LockBusyException.class.getSimpleName());
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void fault578_lockedEndpointDoesNotLoseHeaders() throws Exception {
        assertThat(get("rows/lost").statusCode()).isEqualTo(500);
        for (String right : List.of("rows/declared", "rows/outside")) {
            HttpResponse<String> answer = get(right);
            assertThat(answer.statusCode()).as(right).isEqualTo(206);
            assertThat(answer.headers().firstValue("Total")).as(right).hasValue("7");
            assertThat(answer.body()).as(right).contains("rows");
        }
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.resolve(path)).build(),
                BodyHandlers.ofString());
    }

    private static String held(LockManager locks) {
        return locks.held().stream().map(HeldLock::name).findFirst().orElse("nothing");
    }

    @Path("till")
    @Locked(value = "till", waitFor = "0")
    public static class Till {

        @Inject
        LockManager locks;

        @GET
        public String held() {
            return LockedRestTest.held(locks);
        }

        @ServerExceptionMapper
        public Response busy(LockBusyException busy) {
            return Response.status(409).entity("closed by " + busy.getClass().getSimpleName()).build();
        }
    }

    @Path("rows")
    public static class Rows {

        @Inject
        Items items;

        @GET
        @Path("lost")
        @Locked("rows")
        public Multi<String> lost() {
            return outside();
        }

        @GET
        @Path("declared")
        @ResponseStatus(206)
        @ResponseHeader(name = "Total", value = "7")
        @Locked("rows")
        public Multi<String> declared() {
            return items.unlocked();
        }

        @GET
        @Path("outside")
        public Multi<String> outside() {
            return RestMulti.fromMultiData(items.locked()).status(206).header("Total", "7").build();
        }
    }

    @ApplicationScoped
    public static class Items {

        @Inject
        LockManager locks;

        @Locked("rows")
        Multi<String> locked() {
            return unlocked();
        }

        Multi<String> unlocked() {
            return Multi.createFrom().item(() -> held(locks));
        }
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
            return LockedRestTest.held(locks);
        }
    }
}
