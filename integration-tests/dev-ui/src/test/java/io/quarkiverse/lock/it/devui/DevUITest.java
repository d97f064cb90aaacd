package io.quarkiverse.lock.it.devui;

import static io.quarkiverse.lock.it.devui.LocksShown.DEFAULT;
import static io.quarkiverse.lock.it.devui.LocksShown.OURS;
import static io.quarkiverse.lock.it.devui.LocksShown.assertAnswer;
import static io.quarkiverse.lock.it.devui.LocksShown.find;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkus.test.QuarkusDevModeTest;

/** The requests of the Dev UI's pages to an application in dev mode. Each test starts it, which is slow, so there are few. */
class DevUITest {

    private static final String HOME = "user.home";

    private static final DevApplication APPLICATION = DevApplication.onLocal();

    @RegisterExtension
    static final QuarkusDevModeTest DEV_MODE = APPLICATION.start();

    private final String ownHome = System.getProperty(HOME);
    private JsonRpc jsonRpc;

    /** Dev MCP keeps its settings for all applications in the developer's home: the test must not touch the real one. */
    @BeforeEach
    void connect(@TempDir Path home) {
        System.setProperty(HOME, home.toString());
        jsonRpc = APPLICATION.jsonRpc();
    }

    @AfterEach
    void disconnect() {
        jsonRpc.close();
        System.setProperty(HOME, ownHome);
    }

    @Test
    void showsEffectiveSettings() throws Exception {
        settingsOfMethods();
        settingsOfManagers();
        refusalsAreAnswers();
        for (String page : List.of("locks", "methods")) {
            assertThat(APPLICATION.get("/q/dev-ui/quarkus-lock/qwc-lock-" + page + ".js")).contains("customElements.define");
        }
        areToolsOfDevMcp();
    }

    private void settingsOfMethods() throws Exception {
        JsonNode methods = call("methods", Map.of());
        assertThat(methods).hasSize(3);
        JsonNode pay = find(methods, "template", "order-{id}");
        assertThat(pay.get("method").asText()).endsWith("Orders.pay");
        assertThat(pay.get("id").asText()).isEqualTo("pay");
        assertThat(pay.get("manager").asText()).isEqualTo(DEFAULT);
        assertSetting(pay, "wait", "0ms", "@Locked(waitFor = \"0s\")");
        assertSetting(pay, "lease", "15s", "quarkus.lock.overrides.\"order-{id}\".lease in ");
        assertSetting(pay, "renew", "true", "built-in default");
        assertSetting(pay, "max-hold", "unlimited", "built-in default");
        assertSetting(pay, "on-lost", "notify", "quarkus.lock.overrides.");
        JsonNode print = find(methods, "template", "receipt-{id}");
        assertSetting(print, "hold-at-least", "10ms", "@Locked(holdAtLeast = \"10ms\")");
        assertSetting(print, "renew", "false", "@Locked(renew = \"false\")");
        assertThat(print.get("settings").findValuesAsText("key")).as("what does nothing without renewals")
                .doesNotContain("max-hold", "linger");
        JsonNode report = find(methods, "template", "report");
        assertSetting(report, "wait", "4s", "quarkus.lock.wait in application.properties");
        assertSetting(report, "lease", "30s", "built-in default");
        assertSetting(report, "on-lost", "fail", "built-in default");
    }

    private void settingsOfManagers() throws Exception {
        JsonNode managers = call("managers", Map.of());
        assertThat(find(managers, "name", DEFAULT).get("backend").asText()).isEqualTo("local");
        JsonNode other = find(managers, "name", "other");
        assertSetting(other, "lease", "40s", "quarkus.lock.managers.");
        assertSetting(other, "wait", "4s", "quarkus.lock.wait in ");
    }

    private void refusalsAreAnswers() throws Exception {
        assertAnswer(call("requestRelease", Map.of("manager", "nope", "name", "a")), false, "There is no lock manager 'nope'");
        assertAnswer(call("occupy", Map.of("manager", DEFAULT, "name", "", "seconds", 1)), false, "empty");
        assertAnswer(call("occupy", Map.of("manager", DEFAULT, "name", "a", "seconds", 0)), false, "1 to 600");
        assertThat(call("stored", Map.of("manager", DEFAULT, "prefix", "", "continuation", "?")).get("problem").asText())
                .isNotEmpty();
        assertAnswersWithoutParameters();
    }

    /** Tools know that a parameter exists, but not always its description. */
    private void assertAnswersWithoutParameters() throws Exception {
        assertThat(call("stored", nulls("manager", "prefix", "continuation")).get("locks")).isEmpty();
        assertAnswer(call("requestRelease", nulls("manager", "name")), false, "name of the lock is missing");
        assertAnswer(call("forceRelease", nulls("manager", "name")), false, "name of the lock is missing");
        assertAnswer(call("occupy", nulls("manager", "name", "seconds")), false, "1 to 600");
        Map<String, Object> named = nulls("manager");
        named.put("name", "a");
        assertAnswer(call("forceRelease", named), false, "Nobody holds 'a'");
    }

    private static Map<String, Object> nulls(String... parameters) {
        Map<String, Object> nulls = new HashMap<>();
        for (String parameter : parameters) {
            nulls.put(parameter, null);
        }
        return nulls;
    }

    @Test
    void fault480_sendsOnlyWhatThePageCanHandle() throws Exception {
        sendsTheFirstOfManyCallers();
        offersNothingForANameThatCannotBeSent();
    }

    /** The page polls every second, so it gets only what it can show. */
    private void sendsTheFirstOfManyCallers() throws Exception {
        APPLICATION.get("/hold-many/210");
        JsonNode callers = call("callers", Map.of());
        assertThat(callers.get("callers")).hasSize(200);
        assertThat(callers.get("more").asInt()).isEqualTo(10);
        assertThat(callers.get("callers").get(0).get("name").asText()).isEqualTo("many-100");
        assertThat(call("streamCounts", Map.of()).asText()).startsWith("210 / 0 / ");
    }

    /** The browser would get another name, and its buttons would act on that. */
    private void offersNothingForANameThatCannotBeSent() throws Exception {
        APPLICATION.get("/hold-cut");
        APPLICATION.get("/hold/cut");
        JsonNode callers = call("callers", Map.of()).get("callers");
        assertThat(find(callers, "name", "cut-\\ud83d").get("addressable").asBoolean()).isFalse();
        assertThat(find(callers, "name", "cut").get("addressable").asBoolean()).isTrue();
        JsonNode stored = call("stored", Map.of("manager", DEFAULT, "prefix", "cut", "continuation", "")).get("locks");
        assertThat(find(stored, "name", "cut-\\ud83d").get("addressable").asBoolean()).isFalse();
        assertThat(find(stored, "name", "cut").get("addressable").asBoolean()).isTrue();
    }

    @Test
    void devUIShowsAndControlsLocks() throws Exception {
        new LocksShown(APPLICATION, jsonRpc).showWhatHappensAndMakeItHappen();
    }

    /**
     * Read-only tools can be used once the developer has switched Dev MCP on; every other tool has to be switched on as well.
     */
    private void areToolsOfDevMcp() throws Exception {
        Map<String, ?> force = Map.of("name", OURS + "forceRelease", "arguments", Map.of("manager", DEFAULT, "name", "a"));
        jsonRpc.call("devmcp_enable", Map.of());
        assertThat(tools()).containsOnlyKeys("callers", "losses", "managers", "methods", "stored");
        APPLICATION.get("/hold/a");
        assertThat(APPLICATION.mcp("tools/call", Map.of("name", OURS + "callers", "arguments", Map.of())).toString())
                .contains("held", "fencingToken");
        assertThat(APPLICATION.mcp("tools/call", force).toString()).contains("not enabled");

        for (String tool : List.of("forceRelease", "occupy", "requestRelease")) {
            jsonRpc.call("devmcp_enableMethod", Map.of("name", OURS + tool));
        }
        Map<String, JsonNode> tools = tools();
        assertThat(tools).hasSize(8).containsKeys("forceRelease", "occupy", "requestRelease");
        tools.values().forEach(tool -> {
            assertThat(tool.path("description").asText()).isNotEmpty();
            tool.path("inputSchema").path("properties")
                    .forEach(each -> assertThat(each.path("description").asText()).as(tool.toString()).isNotEmpty());
        });
        assertThat(APPLICATION.mcp("tools/call", force).toString()).contains("has lost it");
    }

    private static Map<String, JsonNode> tools() throws Exception {
        return StreamSupport.stream(APPLICATION.mcp("tools/list", Map.of()).get("tools").spliterator(), false)
                .filter(tool -> tool.get("name").asText().startsWith(OURS))
                .collect(Collectors.toMap(tool -> tool.get("name").asText().substring(OURS.length()), tool -> tool));
    }

    private JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        return jsonRpc.call(OURS + method, parameters);
    }

    private static void assertSetting(JsonNode owner, String key, String value, String origin) {
        JsonNode setting = find(owner.get("settings"), "key", key);
        assertThat(setting.get("value").asText()).as(key).isEqualTo(value);
        assertThat(setting.get("origin").asText()).as(key).startsWith(origin);
    }
}
