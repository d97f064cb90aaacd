package io.quarkiverse.lock.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Permissions for other paths, and one that permits everybody: a startup message warns that anybody may read. */
class OpenReadsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers()
            .overrideConfigKey("quarkus.management.root-path", "/manage")
            .overrideConfigKey("quarkus.management.auth.permission.health.paths", "/manage/health,/manage/lock2/*")
            .overrideConfigKey("quarkus.management.auth.permission.health.policy", "authenticated")
            .overrideConfigKey("quarkus.management.auth.permission.all.paths", "/*")
            .overrideConfigKey("quarkus.management.auth.permission.all.policy", "authenticated")
            .overrideConfigKey("quarkus.management.auth.permission.locks.paths", "/manage/lock")
            .overrideConfigKey("quarkus.management.auth.permission.locks.policy", "permit")
            .setLogRecordPredicate(record -> record.getMessage().startsWith("Anybody who reaches"))
            .assertLogRecords(told -> assertThat(told).singleElement()
                    .satisfies(line -> assertThat(line.getParameters()).contains("/manage/lock")));

    @Test
    void isReportedAtStartup() {
        assertThat(Operator.ANONYMOUS.get("/manage/lock").statusCode()).isEqualTo(200);
    }
}
