package io.quarkiverse.lock.it.classic;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.StaleTokenException;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** Clients are told the same as with Quarkus REST. */
class ClassicProblemsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0");

    @TestHTTPResource
    URI server;

    @Test
    void locksThatFailRequests() throws Exception {
        HttpResponse<String> busy = get("busy");
        assertThat(busy.statusCode()).isEqualTo(423);
        assertThat(busy.headers().firstValue("Content-Type")).hasValueSatisfying(
                type -> assertThat(type).startsWith("application/problem+json"));
        assertThat(busy.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(busy.body()).contains("\"title\":\"Locked\"");
        assertThat(get("lost").statusCode()).isEqualTo(409);
        assertThat(get("unavailable").statusCode()).isEqualTo(503);
        assertThat(get("stale").statusCode()).isEqualTo(412);
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.resolve("/problems/" + path)).build(),
                BodyHandlers.ofString());
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
