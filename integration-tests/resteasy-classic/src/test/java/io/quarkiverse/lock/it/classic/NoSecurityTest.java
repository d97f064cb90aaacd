package io.quarkiverse.lock.it.classic;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** A permission admits only operators, but without a security extension Quarkus checks no permissions. */
class NoSecurityTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.management.enabled", "true")
            .overrideConfigKey("quarkus.management.enabled", "true")
            .overrideConfigKey("quarkus.management.auth.enabled", "true")
            .overrideConfigKey("quarkus.management.auth.policy.operators.roles-allowed", "operator")
            .overrideConfigKey("quarkus.management.auth.permission.locks.paths", "/q/lock,/q/lock/*")
            .overrideConfigKey("quarkus.management.auth.permission.locks.policy", "operators")
            .overrideRuntimeConfigKey("quarkus.management.test-port", "0")
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .setLogRecordPredicate(record -> record.getMessage().startsWith("Anybody who reaches"))
            .assertLogRecords(told -> assertThat(told).as("fault 494").singleElement()
                    .satisfies(line -> assertThat(line.getParameters()[1]).asString()
                            .startsWith("add an extension that manages users").doesNotContain("quarkus.management.auth")));

    @Test
    void fault494_uncheckedPermissionsAreReported() throws Exception {
        int port = ConfigProvider.getConfig().getValue("quarkus.management.test-port", Integer.class);
        URI list = URI.create("http://localhost:" + port + "/q/lock");
        assertThat(HttpClient.newHttpClient().send(HttpRequest.newBuilder(list).build(), BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
    }
}
