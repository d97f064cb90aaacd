package io.quarkiverse.lock.it.classic;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** Switched off, the answers are those of RESTEasy. */
class NoClassicProblemsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(FailingResource.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.lock.rest.enabled", "off");

    @TestHTTPResource
    URI server;

    @ParameterizedTest
    @ValueSource(strings = { "busy", "lost", "unavailable" })
    void lockErrorsAreInternalServerErrors(String path) throws Exception {
        assertThat(HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.resolve("/problems/" + path)).build(),
                BodyHandlers.ofString()).statusCode()).isEqualTo(500);
    }
}
