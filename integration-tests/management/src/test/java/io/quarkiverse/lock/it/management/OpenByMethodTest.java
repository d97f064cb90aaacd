package io.quarkiverse.lock.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** A permission for a method takes precedence over those without one: here, anonymous users may read but not change. */
@FullBuild
class OpenByMethodTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers()
            .overrideConfigKey("quarkus.management.auth.permission.read.paths", "/q/lock,/q/lock/*")
            .overrideConfigKey("quarkus.management.auth.permission.read.methods", "GET,HEAD")
            .overrideConfigKey("quarkus.management.auth.permission.read.policy", "permit")
            .overrideConfigKey("quarkus.management.auth.permission.change.paths", "/q/lock,/q/lock/*")
            .overrideConfigKey("quarkus.management.auth.permission.change.methods", "POST")
            .overrideConfigKey("quarkus.management.auth.permission.change.policy", "authenticated")
            .overrideConfigKey("quarkus.management.auth.permission.others.paths", "/q/lock,/q/lock/*")
            .overrideConfigKey("quarkus.management.auth.permission.others.policy", "deny")
            .setLogRecordPredicate(record -> record.getMessage().startsWith("Anybody who reaches"))
            .assertLogRecords(told -> assertThat(told).as("fault 485").hasSize(1));

    @Fault(485)
    @Test
    void fault485_openReadsAreReported() {
        assertThat(Operator.ANONYMOUS.get("/q/lock").statusCode()).isEqualTo(200);
        assertThat(Operator.ANONYMOUS.withHeader().post("/q/lock/force-release", "a").statusCode()).isEqualTo(401);
    }
}
