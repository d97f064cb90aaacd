package io.quarkiverse.lock.it.management;

import static io.quarkiverse.lock.it.management.Operator.ANONYMOUS;
import static io.quarkiverse.lock.it.management.Operator.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.json.JsonObject;

/** What operators see: JSON for a program, a page for a browser. */
class ReadsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withEndpoint()
            .overrideConfigKey("quarkus.lock.managers.orders.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.owner", "node <1>");

    private static final Operator BROWSER = ANONYMOUS.with("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");

    @Inject
    LockManager locks;

    @Inject
    @LockManagerName("orders")
    LockManager orders;

    @ConfigProperty(name = "quarkus.http.test-port")
    int publicPort;

    @ConfigProperty(name = "quarkus.management.test-port")
    int managementPort;

    @Test
    void locksAreListedAsJson() {
        try (LockHandle a = locks.lock("list-a").acquire();
                LockHandle b = locks.lock("list-b", LockOptions.DEFAULTS.withLimit(2)).acquire()) {
            HttpResponse<String> answer = ANONYMOUS.get("/q/lock?prefix=list-a");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(answer.headers().firstValue("Cache-Control")).hasValue("no-store");
            JsonObject page = new JsonObject(answer.body());
            assertThat(page.getString("manager")).isEqualTo("<default>");
            assertThat(page.getJsonArray("managers").getList()).containsExactlyInAnyOrder("<default>", "orders");
            assertThat(page.getJsonArray("locks")).hasSize(1);
            JsonObject lock = page.getJsonArray("locks").getJsonObject(0);
            assertThat(lock.getString("name")).isEqualTo("list-a");
            assertThat(lock.getInteger("waiters")).isZero();
            JsonObject holder = lock.getJsonArray("holders").getJsonObject(0);
            assertThat(holder.getString("owner")).isEqualTo("node <1>");
            assertThat(holder.getString("fencingToken")).isEqualTo(Long.toString(a.fencingToken()));
            assertThat(holder.getString("mode")).isEqualTo("exclusive");
            assertThat(holder.getLong("heldForMillis")).isNotNegative();
            assertThat(holder.getLong("remainingMillis")).isPositive();

            JsonObject limited = ANONYMOUS.json("/q/lock/inspect?name=list-b").getJsonArray("holders").getJsonObject(0);
            assertThat(limited.getString("mode")).isEqualTo("limited");
            assertThat(limited.getInteger("limit")).isEqualTo(2);
            assertThat(b.isValid()).isTrue();
        }
    }

    /** When all worker threads wait, this is how an operator finds out. */
    @Fault(328)
    @Test
    void fault328_localWaitersAreCounted() {
        try (LockHandle held = locks.lock("crowded").acquire()) {
            List<Cancellable> waiting = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                waiting.add(locks.lock("crowded").tryAcquireAsync(Duration.ofMinutes(10)).subscribe().with(ignored -> {
                }));
            }
            JsonObject listed = ANONYMOUS.json("/q/lock?prefix=crowded").getJsonArray("locks").getJsonObject(0);
            assertThat(listed.getInteger("waitingHere")).isEqualTo(2);
            assertThat(ANONYMOUS.json("/q/lock/inspect?name=crowded").getInteger("waitingHere")).isEqualTo(2);
            assertThat(BROWSER.get("/q/lock?prefix=crowded").body()).contains("<td>2</td>");
            waiting.forEach(Cancellable::cancel);
            assertThat(ANONYMOUS.json("/q/lock/inspect?name=crowded").getInteger("waitingHere")).isZero();
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void locksAreListedPageByPage() {
        try (LockHandle held = locks.all("page-1", "page-2", "page-3", "page-4", "page-5").acquire()) {
            Set<String> names = new HashSet<>();
            String query = "/q/lock?prefix=page-&pageSize=2";
            String next = "";
            while (next != null) {
                JsonObject page = ANONYMOUS.json(query + next);
                page.getJsonArray("locks").forEach(lock -> names.add(((JsonObject) lock).getString("name")));
                next = page.getString("continuation");
                next = next == null ? null : "&continuation=" + encoded(next);
            }
            assertThat(names).containsExactlyInAnyOrder("page-1", "page-2", "page-3", "page-4", "page-5");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void freeLockIsReportedAsFree() {
        JsonObject lock = ANONYMOUS.json("/q/lock/inspect?name=nobody");
        assertThat(lock.getString("name")).isEqualTo("nobody");
        assertThat(lock.getJsonArray("holders")).isEmpty();
        assertThat(lock.getInteger("waiters")).isZero();
    }

    @Test
    void locksAreListedPerManager() {
        try (LockHandle held = orders.lock("of-orders").acquire()) {
            JsonObject page = ANONYMOUS.json("/q/lock?manager=orders&prefix=of-orders");
            assertThat(page.getString("manager")).isEqualTo("orders");
            assertThat(page.getJsonArray("locks")).hasSize(1);
            assertThat(held.isValid()).isTrue();
        }
        HttpResponse<String> none = ANONYMOUS.get("/q/lock?manager=%3Cb%3E%0A");
        assertThat(none.statusCode()).isEqualTo(404);
        assertThat(new JsonObject(none.body()).getString("detail")).contains("'<b>\\n'", "orders");
    }

    @ParameterizedTest
    @ValueSource(strings = { "a/b/../c", "100%", "%2F", "two\nlines\r\n", "a b+c&name=d", "\"'<>&", "Zürich 🔒", "\u202Eevil",
            "<script>alert(1)</script>" })
    void anyNameIsAccepted(String name) {
        try (LockHandle held = locks.lock(name).acquire()) {
            JsonObject lock = ANONYMOUS.json("/q/lock/inspect?name=" + encoded(name));
            assertThat(lock.getString("name")).isEqualTo(name);
            assertThat(lock.getJsonArray("holders")).hasSize(1);

            String page = BROWSER.get("/q/lock?prefix=" + encoded(name)).body();
            assertThat(page).contains("data-name=\"name=" + encoded(name) + "\"").doesNotContain("<script>alert");
            assertThat(page.substring(page.indexOf("<table>"))).doesNotContain("\u202E");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void browserPageIsEscapedAndSecured() throws Exception {
        try (LockHandle held = locks.lock("<script>alert(1)</script>").acquire()) {
            HttpResponse<String> answer = BROWSER.get("/q/lock");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
            assertThat(answer.headers().firstValue("Content-Security-Policy")).get().asString()
                    .contains("default-src 'none'", "script-src '" + digest(answer.body(), "script") + "'",
                            "style-src '" + digest(answer.body(), "style") + "'", "frame-ancestors 'none'");
            assertThat(answer.body())
                    .contains("&lt;script&gt;alert(1)&lt;/script&gt;", "node &lt;1&gt;", "<option selected>&lt;default&gt;")
                    .containsOnlyOnce("<script>");
            assertThat(BROWSER.get("/q/lock/inspect?name=free%22%3E%3Cb%3E").body()).contains("free&quot;&gt;&lt;b&gt;")
                    .doesNotContain("<b>", "data-action=\"request-release\"");
            assertThat(held.isValid()).isTrue();
        }
    }

    /** A forced release takes the lock from all of them. */
    @Test
    void pageNamesHoldersAffectedByForcedRelease() {
        LockOptions limited = LockOptions.DEFAULTS.withLimit(3);
        try (LockHandle one = locks.lock("asked", limited).acquire()) {
            assertThat(BROWSER.get("/q/lock/inspect?name=asked").body())
                    .contains("data-question=\"The holder may still be at work. Take the lock away from it?\"");
            try (LockHandle other = locks.lock("asked", limited).acquire()) {
                assertThat(BROWSER.get("/q/lock/inspect?name=asked").body()).contains(
                        "data-question=\"All holders may still be at work. Take the lock away from all of them (2 listed)?\"");
                assertThat(one.isValid() && other.isValid()).isTrue();
            }
        }
        LockOptions shared = LockOptions.DEFAULTS.withMode(LockMode.SHARED);
        try (LockHandle reader = locks.lock("read", shared).acquire()) {
            assertThat(BROWSER.get("/q/lock/inspect?name=read").body()).contains("all of them (1 listed)?");
            assertThat(reader.isValid()).isTrue();
        }
    }

    /** The digest by which a browser recognizes the one script that it may run. */
    private static String digest(String page, String element) throws NoSuchAlgorithmException {
        String source = page.substring(page.indexOf("<" + element + ">") + element.length() + 2,
                page.indexOf("</" + element + ">"));
        return "sha256-" + Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("SHA-256").digest(source.getBytes(StandardCharsets.UTF_8)));
    }

    /** The most preferred type is JSON, or there is no preference. */
    @ParameterizedTest
    @ValueSource(strings = { "*/*", "application/json", "text/html;q=0, application/json", "application/json, text/html;q=0.5",
            "text/*", "nonsense", "" })
    void programsGetJson(String accepted) {
        HttpResponse<String> answer = ANONYMOUS.with("Accept", accepted).get("/q/lock");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
    }

    @ParameterizedTest
    @ValueSource(strings = { "text/html", "application/json;q=0.5, text/html", "text/html, */*;q=0.8" })
    void browsersGetAPage(String accepted) {
        HttpResponse<String> answer = ANONYMOUS.with("Accept", accepted).get("/q/lock");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/q/lock/inspect", "/q/lock/inspect?name=", "/q/lock/inspect?name=a&name=b", "/q/lock?pageSize=x",
            "/q/lock?pageSize=1001", "/q/lock?pageSize=0", "/q/lock?continuation=%3Cnowhere%3E" })
    void malformedQueriesAreRejected(String path) {
        HttpResponse<String> answer = ANONYMOUS.get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    }

    @Test
    void tooLongNameIsRejected() {
        HttpResponse<String> answer = ANONYMOUS.get("/q/lock/inspect?name=" + "x".repeat(1025));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("1024").hasSizeLessThan(400);
        assertThat(ANONYMOUS.get("/q/lock/inspect?name=" + "x".repeat(1024)).statusCode()).isEqualTo(200);
    }

    /** Each of its letters takes six bytes in a URL. */
    @Test
    void tooLongAddressIsRejected() {
        assertThat(ANONYMOUS.get("/q/lock/inspect?name=" + encoded("ж".repeat(600))).statusCode()).isEqualTo(200);
        assertThat(ANONYMOUS.get("/q/lock/inspect?name=" + encoded("ж".repeat(1024))).statusCode()).isEqualTo(414);
    }

    @Test
    void malformedEncodingIsRejected() throws Exception {
        try (LogLines log = LogLines.news("io.quarkiverse.lock"); Socket socket = new Socket("localhost", managementPort)) {
            socket.getOutputStream().write(("GET /q/lock/inspect?name=%zz HTTP/1.1\r\nHost: localhost:" + managementPort
                    + "\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)).startsWith("HTTP/1.1 400 ");
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void readsAllowOnlyGetAndHead() {
        for (String path : new String[] { "/q/lock", "/q/lock/inspect?name=a" }) {
            HttpResponse<String> head = ANONYMOUS.send("HEAD", path, null);
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(head.body()).isEmpty();
            for (String method : new String[] { "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE" }) {
                HttpResponse<String> answer = ANONYMOUS.send(method, path, null);
                assertThat(answer.statusCode()).as(method).isEqualTo(405);
                assertThat(answer.headers().firstValue("Allow")).hasValue("GET, HEAD");
            }
        }
    }

    @Test
    void crossOriginReadsAreRejected() {
        try (LockHandle held = locks.lock("hidden").acquire()) {
            HttpResponse<String> answer = ANONYMOUS.with("Origin", "https://evil.example").get("/q/lock");
            assertThat(answer.statusCode()).isEqualTo(403);
            assertThat(answer.body()).doesNotContain("hidden");
            assertThat(held.isValid()).isTrue();
        }
    }

    /** A browser says which site causes a request, even without an Origin header: for an image, a frame, a window. */
    @Test
    void crossSiteReadsWithoutOriginAreRejected() {
        try (LockHandle held = locks.lock("framed").acquire()) {
            for (String site : new String[] { "cross-site", "same-site", "nonsense" }) {
                Operator asked = BROWSER.with("Sec-Fetch-Site", site);
                assertThat(asked.get("/q/lock").statusCode()).isEqualTo(403);
                assertThat(asked.with("Sec-Fetch-Dest", "iframe").with("Sec-Fetch-User", "?1").get("/q/lock").statusCode())
                        .isEqualTo(403);
                assertThat(asked.with("Sec-Fetch-Dest", "document").get("/q/lock").body()).doesNotContain("framed");
                assertThat(asked.with("Sec-Fetch-Dest", "document").with("Sec-Fetch-User", "?1").get("/q/lock").statusCode())
                        .as("a user follows a link").isEqualTo(200);
            }
            assertThat(BROWSER.with("Sec-Fetch-Site", "none").get("/q/lock").body()).contains("framed");
            assertThat(BROWSER.with("Sec-Fetch-Site", "same-origin").get("/q/lock").body()).contains("framed");
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    void endpointIsNotOnPublicPort() throws Exception {
        for (String path : new String[] { "/q/lock", "/lock", "/q/lock/inspect?name=a" }) {
            HttpResponse<String> answer = HttpClient.newHttpClient().send(
                    HttpRequest.newBuilder(URI.create("http://localhost:" + publicPort + path)).build(),
                    BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(404);
        }
    }
}
