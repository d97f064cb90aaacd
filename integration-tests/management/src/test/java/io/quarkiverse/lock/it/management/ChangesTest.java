package io.quarkiverse.lock.it.management;

import static io.quarkiverse.lock.it.management.Operator.ANONYMOUS;
import static io.quarkiverse.lock.it.management.Operator.KNOWN;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkus.test.QuarkusUnitTest;
import io.vertx.core.json.JsonObject;

/** What operators may change, who may do it, and what the log says about it. */
class ChangesTest {

    private static final String REQUEST = "/q/lock/request-release";
    private static final String FORCE = "/q/lock/force-release";
    private static final Duration SOON = Duration.ofSeconds(30);

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers();

    @Inject
    LockManager locks;

    @ConfigProperty(name = "quarkus.management.test-port")
    int port;

    @Test
    void holderIsAskedToRelease() {
        try (LogLines log = LogLines.news("io.quarkiverse.lock"); LockHandle held = locks.lock("asked").acquire()) {
            HttpResponse<String> answer = KNOWN.withHeader().post(REQUEST, "asked");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(new JsonObject(answer.body())).isEqualTo(
                    new JsonObject().put("manager", "<default>").put("name", "asked").put("held", true));
            Await.until("asked", SOON, held::isReleaseRequested);
            assertThat(held.isValid()).isTrue();
            assertThat(log.messages()).anySatisfy(line -> assertThat(line).startsWith("Operator 'olga' at 127.0.0.1 ")
                    .endsWith(" requests the release of lock 'asked' of manager '<default>': it was held"));
        }
    }

    @Test
    void forcedReleaseTakesTheLock() {
        try (LogLines log = LogLines.news("io.quarkiverse.lock"); LockHandle held = locks.lock("taken").acquire()) {
            HttpResponse<String> answer = KNOWN.withHeader().post(FORCE, "taken");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(new JsonObject(answer.body()).getBoolean("held")).isTrue();
            Await.until("lost", SOON, () -> !held.isValid());
            assertThat(locks.inspect("taken")).isEmpty();
            assertThat(log.messages()).anySatisfy(line -> assertThat(line).startsWith("Operator 'olga' at ")
                    .endsWith(" forces the release of lock 'taken' of manager '<default>': it was held"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { REQUEST, FORCE })
    void freeLockIsReportedAsFree(String path) {
        try (LogLines log = LogLines.news("io.quarkiverse.lock")) {
            HttpResponse<String> answer = KNOWN.withHeader().post(path, "free");
            assertThat(new JsonObject(answer.body()).getBoolean("held")).isFalse();
            assertThat(log.text()).contains("lock 'free' of manager '<default>': nobody held it");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { REQUEST, FORCE })
    void unknownOperatorsAreRejected(String path) {
        refused(path, ANONYMOUS.withHeader(), 403);
        refused(path, ANONYMOUS.withPassword("wrong").withHeader(), 401);
    }

    @ParameterizedTest
    @ValueSource(strings = { REQUEST, FORCE })
    void crossSiteFormsAreRejected(String path) {
        refused(path, KNOWN, 403);
        refused(path, KNOWN.withHeader().with("Origin", "https://evil.example"), 403);
        refused(path, KNOWN.withHeader().with("Origin", "null"), 403);
        refused(path, KNOWN.withHeader().with("Sec-Fetch-Site", "cross-site").with("Sec-Fetch-Dest", "document")
                .with("Sec-Fetch-User", "?1"), 403);
        refused(path, KNOWN.withHeader().with("Origin", "http://localhost.evil.example:" + port), 403);
        try (LockHandle held = locks.lock("form").acquire()) {
            // the only form encoding that can carry almost any text
            assertThat(KNOWN.with("Content-Type", "text/plain").send("POST", path, "name=form").statusCode()).isEqualTo(403);
            assertThat(KNOWN.with("Content-Type", "text/plain").send("POST", path + "?name=form", "X-Quarkus-Lock=1")
                    .statusCode()).isEqualTo(403);
            assertThat(held.isValid()).isTrue();
            assertThat(held.isReleaseRequested()).isFalse();
        }
    }

    /** The management interface lets any page send any header, but not the browser's credentials. */
    @Test
    void crossSiteCredentialsAreNotAllowed() {
        HttpResponse<String> answer = ANONYMOUS.with("Origin", "https://evil.example")
                .with("Access-Control-Request-Method", "POST").with("Access-Control-Request-Headers", "x-quarkus-lock")
                .send("OPTIONS", FORCE, null);
        assertThat(answer.headers().firstValue("Access-Control-Allow-Credentials")).isEmpty();
    }

    @Test
    void ownPageMayForceRelease() {
        try (LockHandle held = locks.lock("by the page").acquire()) {
            assertThat(KNOWN.withHeader().with("Origin", "http://localhost:" + port).post(FORCE, "by the page").statusCode())
                    .isEqualTo(200);
            Await.until("lost", SOON, () -> !held.isValid());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { REQUEST, FORCE })
    void changesRequirePost(String path) {
        try (LockHandle held = locks.lock("posted").acquire()) {
            for (String method : new String[] { "GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE" }) {
                HttpResponse<String> answer = KNOWN.withHeader().send(method, path + "?name=posted", null);
                assertThat(answer.statusCode()).as(method).isEqualTo(405);
                assertThat(answer.headers().firstValue("Allow")).hasValue("POST");
            }
            assertThat(held.isValid()).isTrue();
            assertThat(held.isReleaseRequested()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { REQUEST, FORCE })
    void exactlyOneValidNameIsRequired(String path) {
        Operator sender = KNOWN.withHeader();
        Operator form = sender.with("Content-Type", "application/x-www-form-urlencoded");
        assertThat(sender.send("POST", path, null).statusCode()).isEqualTo(400);
        assertThat(sender.send("POST", path + "?name=a", null).statusCode()).isEqualTo(400);
        assertThat(form.send("POST", path, "name=a&name=b").statusCode()).isEqualTo(400);
        assertThat(form.send("POST", path, "name=").statusCode()).isEqualTo(400);
        assertThat(form.send("POST", path, "name=a&manager=none").statusCode()).isEqualTo(404);
        assertThat(sender.post(path, "x".repeat(1025)).statusCode()).isEqualTo(400);
        assertThat(sender.post(path, "ж".repeat(340)).statusCode()).isEqualTo(200);
        assertThat(sender.post(path, "ж".repeat(1024)).statusCode()).as("longer than the server accepts").isEqualTo(400);
        assertThat(form.send("POST", path, "name=%zz").statusCode()).isBetween(400, 499);
    }

    @ParameterizedTest
    @ValueSource(strings = { "a/b/../c", "100%", "%2F", "two\r\nlines", "a b+c&name=d", "Zürich 🔒" })
    void anyNameIsAccepted(String name) {
        try (LockHandle held = locks.lock(name).acquire()) {
            assertThat(new JsonObject(KNOWN.withHeader().post(FORCE, name).body()).getBoolean("held")).isTrue();
            Await.until("lost", SOON, () -> !held.isValid());
        }
    }

    @Test
    void nameCannotForgeLogLine() {
        try (LogLines log = LogLines.news("io.quarkiverse.lock")) {
            KNOWN.withHeader().post(FORCE, "a\r\nOperator 'eve' forced\u001b[31m");
            assertThat(log.messages())
                    .anySatisfy(line -> assertThat(line).contains("'a\\r\\nOperator 'eve' forced\\u001b[31m'"));
        }
    }

    private void refused(String path, Operator operator, int status) {
        try (LogLines log = LogLines.news("io.quarkiverse.lock"); LockHandle held = locks.lock("kept").acquire()) {
            assertThat(operator.post(path, "kept").statusCode()).isEqualTo(status);
            assertThat(held.isValid()).isTrue();
            assertThat(held.isReleaseRequested()).isFalse();
            assertThat(log.messages()).noneMatch(line -> line.startsWith("Operator"));
        }
    }
}
