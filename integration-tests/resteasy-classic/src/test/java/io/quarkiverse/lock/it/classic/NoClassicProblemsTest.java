package io.quarkiverse.lock.it.classic;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** Switched off, the answers are those of RESTEasy. */
class NoClassicProblemsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.lock.rest.enabled", "false");

    @TestHTTPResource
    URI server;

    @Test
    void anErrorLikeAnyOther() throws Exception {
        assertThat(HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.resolve("/problems/busy")).build(),
                BodyHandlers.ofString()).statusCode()).isEqualTo(500);
    }

    @Path("problems")
    public static class Resource {

        @GET
        @Path("busy")
        public String busy() {
            throw new LockBusyException("a", "held by somebody");
        }
    }
}
