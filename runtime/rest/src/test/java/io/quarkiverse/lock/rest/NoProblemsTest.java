package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.StaleTokenException;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** When disabled, the responses are those of Quarkus. */
class NoProblemsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class,
                    BusyLocks.class, UnavailableLocks.class, LostLocks.class, StaleTokens.class, Problems.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.lock.rest.enabled", "off");

    @TestHTTPResource
    URI server;

    @ParameterizedTest
    @ValueSource(strings = { "busy", "lost", "unavailable" })
    void lockErrorsAreInternalServerErrors(String path) throws Exception {
        assertThat(status(path)).isEqualTo(500);
    }

    @Test
    void staleTokenIsStillRejected() throws Exception {
        assertThat(status("stale")).isEqualTo(412);
    }

    private int status(String path) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.resolve("/problems/" + path)).build(),
                BodyHandlers.ofString()).statusCode();
    }

    @Path("problems")
    public static class Resource {

        @GET
        @Path("busy")
        public String busy() {
            throw new LockBusyException("a", "held by somebody");
        }

        @GET
        @Path("lost")
        public String lost() {
            throw new LockLostException("a", "gone", null);
        }

        @GET
        @Path("unavailable")
        public String unavailable() {
            throw new LockBackendException("a", "no answer", null);
        }

        @GET
        @Path("stale")
        public String stale() {
            throw new StaleTokenException("a", "too late");
        }
    }
}
