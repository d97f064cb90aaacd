package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.StaleTokenException;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** Responses are as configured, and the application's own mappers take precedence. */
class ConfiguredProblemsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class, Own.class, OwnStale.class,
                    BusyLocks.class, UnavailableLocks.class, LostLocks.class, StaleTokens.class, Problems.class,
                    SentFencingTokens.class, FencingTokenHeader.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.lock.rest.enabled", "yes")
            .overrideConfigKey("quarkus.lock.rest.busy-status", "409")
            .overrideConfigKey("quarkus.lock.rest.retry-after", "1500ms")
            .overrideConfigKey("quarkus.lock.rest.details", "true")
            .setLogRecordPredicate(each -> each.getMessage().contains("Unrecognized configuration"))
            .assertLogRecords(records -> assertThat(records).isEmpty());

    @TestHTTPResource
    URI server;

    @Test
    void statusRetryAfterAndDetailsAreConfigurable() throws Exception {
        HttpResponse<String> answer = get("busy");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("2");
        assertThat(answer.body()).isEqualTo("{\"type\":\"about:blank\",\"title\":\"Locked\",\"status\":409,"
                + "\"detail\":\"held by \\\"a\\\\b\\\"\",\"lock\":\"order-7\\u000a\"}");
    }

    @Test
    void missingTokenAnswerNamesTheLock() throws Exception {
        assertThat(get("unfenced").body()).contains("it has no fencing token of lock 'order-7'");
    }

    @Test
    void applicationMappersTakePrecedence() throws Exception {
        assertThat(get("lost").statusCode()).isEqualTo(418);
        assertThat(get("unavailable").statusCode()).isEqualTo(419);
        assertThat(get("stale").statusCode()).isEqualTo(420);
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.resolve("/problems/" + path)).build(),
                BodyHandlers.ofString());
    }

    @Provider
    public static class Own implements ExceptionMapper<LockLostException> {

        @Override
        public Response toResponse(LockLostException lost) {
            return Response.status(418).build();
        }
    }

    @Provider
    public static class OwnStale implements ExceptionMapper<StaleTokenException> {

        @Override
        public Response toResponse(StaleTokenException stale) {
            return Response.status(420).build();
        }
    }

    @Path("problems")
    public static class Resource {

        @Inject
        SentFencingTokens tokens;

        @GET
        @Path("busy")
        public String busy() {
            throw new LockBusyException("order-7\n", "held by \"a\\b\"");
        }

        @GET
        @Path("lost")
        public String lost() {
            throw new LockLostException("a", "gone", null);
        }

        @GET
        @Path("stale")
        public String stale() {
            throw new StaleTokenException("a", "too late");
        }

        @GET
        @Path("unfenced")
        public long unfenced() {
            return tokens.of("order-7");
        }

        @GET
        @Path("unavailable")
        public String unavailable() {
            throw new LockBackendException("a", "no answer", null);
        }

        @ServerExceptionMapper
        Response own(LockBackendException failure) {
            return Response.status(419).build();
        }
    }
}
