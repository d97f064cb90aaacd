package io.quarkiverse.lock.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** A permission that lists methods denies all others. */
@FullBuild
class ClosedByMethodTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers()
            .overrideConfigKey("quarkus.management.auth.permission.change.paths", "/q/lock,/q/lock/*")
            .overrideConfigKey("quarkus.management.auth.permission.change.methods", "POST")
            .overrideConfigKey("quarkus.management.auth.permission.change.policy", "permit")
            .setLogRecordPredicate(record -> record.getMessage().startsWith("Anybody who reaches"))
            .assertLogRecords(told -> assertThat(told).as("fault 485").isEmpty());

    @Fault(485)
    @Test
    void fault485_closedReadsAreNotReported() {
        assertThat(Operator.ANONYMOUS.get("/q/lock").statusCode()).isEqualTo(401);
        assertThat(Operator.KNOWN.get("/q/lock").statusCode()).isEqualTo(403);
    }
}
