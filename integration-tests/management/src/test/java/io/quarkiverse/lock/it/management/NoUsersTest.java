package io.quarkiverse.lock.it.management;

import static io.quarkiverse.lock.it.management.Operator.ANONYMOUS;
import static io.quarkiverse.lock.it.management.Operator.KNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Without users, nobody can change anything through the management interface; and disabled locks are not held. */
class NoUsersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withEndpoint().overrideRuntimeConfigKey("quarkus.lock.enabled", "false");

    @Test
    void changesAreRejectedWithoutUsers() {
        HttpResponse<String> answer = KNOWN.withHeader().post("/q/lock/force-release", "a");
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("quarkus.management.auth");
    }

    @Test
    void readsReportDisabledLocks() {
        assertThat(ANONYMOUS.json("/q/lock").getBoolean("switchedOff")).isTrue();
        assertThat(ANONYMOUS.with("Accept", "text/html").get("/q/lock").body()).contains("quarkus.lock.enabled=false");
    }
}
