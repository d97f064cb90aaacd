package io.quarkiverse.lock.it.management;

import static io.quarkiverse.lock.it.management.Operator.ANONYMOUS;
import static io.quarkiverse.lock.it.management.Operator.KNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** The properties from the guide, unchanged, let operators in and nobody else. */
class GuidePolicyTest {

    private static final Path PAGE = Path.of("../../docs/modules/ROOT/pages/operators.adoc");
    private static final String LIST = "/q/lock";
    private static final String FORCE = "/q/lock/force-release";

    @RegisterExtension
    static final QuarkusUnitTest APP = printed(App.withUsers()
            .overrideConfigKey("quarkus.security.users.embedded.users.carl", "secret")
            .overrideConfigKey("quarkus.security.users.embedded.roles.carl", "customer"))
            .setLogRecordPredicate(record -> record.getMessage().startsWith("Anybody who reaches"))
            .assertLogRecords(told -> assertThat(told).as("the log says that anybody can read").isEmpty());

    @Inject
    LockManager locks;

    private static QuarkusUnitTest printed(QuarkusUnitTest application) {
        try {
            List<String> lines = Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("quarkus.management.auth."))
                    .toList();
            assertThat(lines).hasSizeGreaterThan(3);
            for (String line : lines) {
                String[] property = line.replaceAll(" # <\\d+>$", "").split("=", 2);
                application.overrideConfigKey(property[0], property[1]);
            }
            return application;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void operatorsMayReadAndChange() {
        try (LockHandle held = locks.lock("guided").acquire()) {
            assertThat(KNOWN.json(LIST + "?prefix=guided").getJsonArray("locks")).hasSize(1);
            assertThat(KNOWN.withHeader().post(FORCE, "guided").statusCode()).isEqualTo(200);
            assertThat(held.isValid()).isFalse();
        }
    }

    @Test
    void othersMayNeitherReadNorChange() {
        try (LockHandle held = locks.lock("kept from them").acquire()) {
            for (String path : new String[] { LIST, LIST + "/", "/q/lock/inspect?name=a", "/q/lock/inspect/?name=a" }) {
                assertThat(ANONYMOUS.get(path).statusCode()).as(path).isEqualTo(401);
                assertThat(customer().get(path).statusCode()).as(path).isEqualTo(403);
            }
            assertThat(ANONYMOUS.withHeader().post(FORCE, "kept from them").statusCode()).isEqualTo(401);
            assertThat(customer().withHeader().post(FORCE, "kept from them").statusCode()).isEqualTo(403);
            assertThat(held.isValid()).isTrue();
        }
    }

    private static Operator customer() {
        return ANONYMOUS.withUser("carl", "secret");
    }
}
