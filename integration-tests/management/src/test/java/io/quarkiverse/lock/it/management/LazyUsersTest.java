package io.quarkiverse.lock.it.management;

import static io.quarkiverse.lock.it.management.Operator.ANONYMOUS;
import static io.quarkiverse.lock.it.management.Operator.KNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** The management interface checks credentials only on demand. */
@FullBuild
class LazyUsersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers().overrideConfigKey("quarkus.management.auth.proactive", "false");

    @Test
    void onlyKnownUsersMayChangeLocks() {
        assertThat(KNOWN.withHeader().post("/q/lock/force-release", "a").statusCode()).isEqualTo(200);
        assertThat(ANONYMOUS.withHeader().post("/q/lock/force-release", "a").statusCode()).isEqualTo(403);
        assertThat(ANONYMOUS.withPassword("wrong").withHeader().post("/q/lock/force-release", "a").statusCode()).isEqualTo(401);
    }
}
