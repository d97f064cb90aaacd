package io.quarkiverse.lock.it.classic;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** Clients get the same answers as with Quarkus REST. */
class ClassicProblemsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(FailingResource.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0");

    @TestHTTPResource
    URI server;

    @Test
    void lockFailuresMapToStatusCodes() throws Exception {
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
}
