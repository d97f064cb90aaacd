package io.quarkiverse.lock.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** A permission protects the locks, but the management interface checks no permissions. */
@FullBuild
class AuthSwitchedOffTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers()
            .overrideConfigKey("quarkus.management.auth.enabled", "false")
            .overrideConfigKey("quarkus.management.auth.permission.locks.paths", "/q/lock,/q/lock/*")
            .overrideConfigKey("quarkus.management.auth.permission.locks.policy", "authenticated")
            .setLogRecordPredicate(record -> record.getMessage().startsWith("Anybody who reaches"))
            .assertLogRecords(told -> assertThat(told).as("fault 494").singleElement()
                    .satisfies(line -> assertThat(line.getParameters()[1])
                            .isEqualTo("set quarkus.management.auth.enabled=true")));

    @Fault(494)
    @Test
    void fault494_uncheckedPermissionsAreReported() {
        assertThat(Operator.ANONYMOUS.get("/q/lock").statusCode()).isEqualTo(200);
        assertThat(Operator.ANONYMOUS.withHeader().post("/q/lock/force-release", "a").statusCode()).isEqualTo(403);
    }
}
