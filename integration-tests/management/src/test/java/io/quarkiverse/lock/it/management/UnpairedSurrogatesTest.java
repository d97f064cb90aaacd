package io.quarkiverse.lock.it.management;

import static io.quarkiverse.lock.it.management.Operator.ANONYMOUS;
import static io.quarkiverse.lock.it.management.Operator.KNOWN;
import static io.quarkiverse.lock.it.management.Operator.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;
import io.vertx.core.json.JsonObject;

/** Names that end in the middle of an emoji, as truncated texts do: UTF-8 cannot encode them, and would change them. */
class UnpairedSurrogatesTest {

    private static final String FORCE = "/q/lock/force-release";
    private static final Operator BROWSER = ANONYMOUS.with("Accept", "text/html");
    private static final Duration SOON = Duration.ofSeconds(30);

    @RegisterExtension
    static final QuarkusUnitTest APP = App.withUsers();

    @Inject
    LockManager locks;

    @Fault(480)
    @Test
    void fault480_rowActsOnItsOwnName() {
        try (LockHandle cut = locks.lock("doc-\ud83d").acquire(); LockHandle other = locks.lock("doc-?").acquire()) {
            Matcher row = Pattern.compile("<tr data-name=\"([^\"]*)\"><td><a href=\"([^\"]*)\">doc-\\\\ud83d</a>")
                    .matcher(BROWSER.get("/q/lock?prefix=doc-").body());
            assertThat(row.find()).isTrue();
            HttpResponse<String> inspected = ANONYMOUS.get(followed(row.group(2)));
            assertThat(new JsonObject(inspected.body()).getString("name")).isEqualTo("doc-\ud83d");
            assertThat(forced(row.group(1)).body()).contains("\"name\" : \"doc-\\ud83d\"", "\"held\" : true");
            Await.until("lost", SOON, () -> !cut.isValid());
            assertThat(other.isValid()).isTrue();
        }
    }

    @Fault(480)
    @Test
    void fault480_jsonContainsTheExactName() {
        try (LockHandle cut = locks.lock("json-\ud83d").acquire()) {
            assertThat(ANONYMOUS.get("/q/lock?prefix=json-").body()).contains("\"name\" : \"json-\\ud83d\"");
            assertThat(forced("nameJson=" + encoded("\"json-\\ud83d\"")).statusCode()).isEqualTo(200);
            Await.until("lost", SOON, () -> !cut.isValid());
        }
        try (LockHandle whole = locks.lock("json-\ud83d\ude00").acquire()) {
            assertThat(ANONYMOUS.get("/q/lock?prefix=json-").body()).contains("\"name\" : \"json-\ud83d\ude00\"");
            assertThat(whole.isValid()).isTrue();
        }
    }

    /** The local store's continuation ends with a name. */
    @Fault(480)
    @Test
    void fault480_nextPageFollowsTheLastName() {
        try (LockHandle held = locks.all("page-?", "page-\ud83d", "page-\uffe6").acquire()) {
            List<String> rows = new ArrayList<>();
            String next = "/q/lock?prefix=page-&pageSize=1";
            while (next != null && rows.size() < 4) {
                String page = BROWSER.get(next).body();
                Matcher row = Pattern.compile("<tr data-name=[^>]*><td><a [^>]*>([^<]*)</a>").matcher(page);
                assertThat(row.find()).isTrue();
                rows.add(row.group(1));
                Matcher link = Pattern.compile("<a href=\"([^\"]*)\">Next page").matcher(page);
                next = link.find() ? followed(link.group(1)) : null;
            }
            assertThat(rows).containsExactly("page-?", "page-\\ud83d", "page-\uffe6");
            assertThat(held.isValid()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "nameJson=", "nameJson=a", "nameJson=1", "nameJson=null", "nameJson=%22a%22b", "nameJson=%22%22",
            "nameJson=%22a%22&name=a", "nameJson=%22a%22&nameJson=%22a%22" })
    void malformedJsonNamesAreRejected(String form) {
        try (LockHandle held = locks.lock("a").acquire()) {
            assertThat(forced(form).statusCode()).isEqualTo(400);
            assertThat(held.isValid()).isTrue();
        }
    }

    private static HttpResponse<String> forced(String form) {
        return KNOWN.withHeader().with("Content-Type", "application/x-www-form-urlencoded").send("POST", FORCE, form);
    }

    /** The path that a browser requests. */
    private static String followed(String link) {
        URI to = URI.create("http://localhost/q/lock").resolve(link.replace("&amp;", "&"));
        return to.getRawPath() + "?" + to.getRawQuery();
    }
}
