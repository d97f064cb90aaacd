package io.quarkiverse.lock.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.StaleTokenException;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.mutiny.Uni;

/** What clients see when a lock fails their call: as little as they need. Only an outage is logged as a warning. */
class ProblemsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Resource.class,
                    BusyLocks.class, UnavailableLocks.class, LostLocks.class, StaleTokens.class, Problems.class,
                    SentFencingTokens.class, FencingTokenHeader.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.log.category.\"io.quarkiverse.lock.rest\".level", "DEBUG")
            .setLogRecordPredicate(each -> warns(each) || isOurs(each))
            .assertLogRecords(records -> {
                onlyTheOutageIsAWarning(records);
                theLogNamesTheLock(records);
            });

    @TestHTTPResource
    URI server;

    @Inject
    LockManager locks;

    @Test
    void busyLockAnswers423() throws Exception {
        try (LockHandle holder = locks.lock("secret-7").acquire()) {
            for (String method : List.of("busy", "busy-later")) {
                HttpResponse<String> answer = get(method);
                assertThat(answer.statusCode()).isEqualTo(423);
                assertThat(answer.headers().firstValue("Content-Type")).hasValueSatisfying(
                        type -> assertThat(type).startsWith("application/problem+json"));
                assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
                assertThat(answer.body())
                        .startsWith("{\"type\":\"about:blank\",\"title\":\"Locked\",\"status\":423,\"detail\":")
                        .doesNotContain("secret");
            }
        }
    }

    @Test
    void unreachableBackendIsServiceUnavailable() throws Exception {
        HttpResponse<String> answer = get("unavailable");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).as("the method may have done its work").isEmpty();
        assertThat(answer.body()).contains("\"status\":503").doesNotContain("secret");
    }

    @Test
    void lostLockAnswers409() throws Exception {
        HttpResponse<String> answer = get("lost");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
        assertThat(answer.body()).contains("\"status\":409").doesNotContain("secret");
    }

    @Test
    void staleTokenAnswers412() throws Exception {
        HttpResponse<String> answer = get("stale");
        assertThat(answer.statusCode()).isEqualTo(412);
        assertThat(answer.body()).contains("a later holder").doesNotContain("secret");
    }

    @Test
    void missingTokenAnswers428() throws Exception {
        HttpResponse<String> answer = get("unfenced");
        assertThat(answer.statusCode()).isEqualTo(428);
        assertThat(answer.body()).contains(FencingTokenHeader.NAME).doesNotContain("secret");
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(server.resolve("/problems/" + path)).build(),
                BodyHandlers.ofString());
    }

    private static boolean warns(LogRecord each) {
        return each.getLevel().intValue() >= Level.WARNING.intValue();
    }

    private static boolean isOurs(LogRecord each) {
        return "io.quarkiverse.lock.rest".equals(each.getLoggerName());
    }

    private static void onlyTheOutageIsAWarning(List<LogRecord> records) {
        List<LogRecord> warnings = records.stream().filter(ProblemsTest::warns).toList();
        assertThat(warnings).filteredOn(each -> each.getThrown() != null).isEmpty();
        assertThat(warnings).filteredOn(ProblemsTest::isOurs)
                .extracting(LogRecord::getMessage).containsExactly("Answered with 503: secret-7: no answer of secret-host");
    }

    private static void theLogNamesTheLock(List<LogRecord> records) {
        List<Throwable> reasons = records.stream().map(LogRecord::getThrown).filter(Objects::nonNull).toList();
        assertThat(reasons).extracting(Throwable::getMessage)
                .contains("token 1 of secret-7 is older than 2")
                .anyMatch(each -> each.startsWith("The request is refused: it has no fencing token of lock 'secret-7'"));
    }

    @Path("problems")
    public static class Resource {

        @Inject
        SentFencingTokens tokens;

        @GET
        @Path("busy")
        @Locked(value = "secret-7", waitFor = "0s")
        public String busy() {
            return "not busy";
        }

        @GET
        @Path("busy-later")
        @Locked(value = "secret-7", waitFor = "0s")
        public Uni<String> busyLater() {
            return Uni.createFrom().item("not busy");
        }

        @GET
        @Path("unavailable")
        public String unavailable() {
            throw new LockBackendException("secret-7", "secret-7: no answer of secret-host", null);
        }

        @GET
        @Path("lost")
        public String lost() {
            throw new LockLostException("secret-7", "secret-7 was lost", null);
        }

        @GET
        @Path("stale")
        public String stale() {
            throw new StaleTokenException("secret-7", "token 1 of secret-7 is older than 2");
        }

        @GET
        @Path("unfenced")
        public long unfenced() {
            return tokens.of("secret-7");
        }
    }
}
