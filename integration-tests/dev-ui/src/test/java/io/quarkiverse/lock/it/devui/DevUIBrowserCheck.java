package io.quarkiverse.lock.it.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.it.Browser;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.test.QuarkusDevModeTest;

/** Clicks through the pages. Profile {@code browser}; needs Chromium and chromedriver. */
class DevUIBrowserCheck {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    /** Finds an element wherever it is: the pages are web components within web components. */
    private static final String FIND = """
            (function find(root, selector) {
                const found = root.querySelector(selector);
                if (found) return found;
                for (const each of root.querySelectorAll('*')) {
                    const inner = each.shadowRoot ? find(each.shadowRoot, selector) : null;
                    if (inner) return inner;
                }
                return null;
            })""";

    private static final DevApplication APPLICATION = DevApplication.onLocal();

    @RegisterExtension
    static final QuarkusDevModeTest DEV_MODE = APPLICATION.start();

    @Test
    void pagesShowAndChangeLocks() throws Exception {
        APPLICATION.get("/hold/a");
        APPLICATION.get("/wait/a");
        try (var browser = new Browser()) {
            browser.open(APPLICATION.page("/q/dev-ui/extensions"));
            awaitText(browser, "qwc-extension-link[displayname='Locks']", "1 / 1 / 0");
            browser.screenshot(Path.of("target/dev-ui-card.png"));

            browser.open(APPLICATION.page("/q/dev-ui/quarkus-lock/locks"));
            awaitText(browser, "#callers", "waiting");
            awaitText(browser, "#stored", "orders");
            assertThat(text(browser, "#callers")).contains("held");
            click(browser, "#callers .lose");
            awaitText(browser, "#losses", "a");
            browser.screenshot(Path.of("target/dev-ui-locks.png"));

            evaluate(browser, "#name", ".value = 'order-8'");
            evaluate(browser, "#seconds", ".value = '600'");
            Await.until("the lock can be made busy", PATIENCE,
                    () -> !Boolean.parseBoolean(evaluate(browser, "#occupy", ".disabled")));
            click(browser, "#occupy");
            awaitText(browser, "#callers", "order-8");
            assertThat(APPLICATION.get("/pay/8")).isEqualTo("busy");

            browser.open(APPLICATION.page("/q/dev-ui/quarkus-lock/locked-methods"));
            awaitText(browser, "#methods", "quarkus.lock.overrides.\"order-{id}\".lease");
            awaitText(browser, "#managers", "other");
            browser.screenshot(Path.of("target/dev-ui-methods.png"));
        }
    }

    private static void awaitText(Browser browser, String selector, String text) {
        Await.until(selector + " shows " + text, PATIENCE, () -> text(browser, selector).contains(text));
    }

    private static void click(Browser browser, String selector) throws Exception {
        evaluate(browser, selector, ".click()");
    }

    /** Includes the shadow DOM of the element itself; empty if there is no such element. */
    private static String text(Browser browser, String selector) throws Exception {
        return browser.evaluate("((each) => each ? each.textContent + (each.shadowRoot?.textContent ?? '') : '')(" + FIND
                + "(document, \"" + selector + "\"))").asText();
    }

    private static String evaluate(Browser browser, String selector, String expression) throws Exception {
        return browser.evaluate(FIND + "(document, \"" + selector + "\")" + expression).asText();
    }
}
