package io.quarkiverse.lock.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkus.test.QuarkusUnitTest;

/** A shared permission applies in addition to one with a longer path. */
@FullBuild
class SharedPermissionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers()
            .overrideConfigKey("quarkus.management.auth.permission.all.paths", "/*")
            .overrideConfigKey("quarkus.management.auth.permission.all.shared", "true")
            .overrideConfigKey("quarkus.management.auth.permission.all.policy", "authenticated")
            .overrideConfigKey("quarkus.management.auth.permission.locks.paths", "/q/lock")
            .overrideConfigKey("quarkus.management.auth.permission.locks.policy", "permit")
            .setLogRecordPredicate(record -> record.getMessage().startsWith("Anybody who reaches"))
            .assertLogRecords(told -> assertThat(told).as("fault 485").isEmpty());

    @Fault(485)
    @Test
    void fault485_readsBehindSharedPermissionAreNotReported() {
        assertThat(Operator.ANONYMOUS.get("/q/lock").statusCode()).isEqualTo(401);
        assertThat(Operator.KNOWN.get("/q/lock").statusCode()).isEqualTo(200);
    }
}
