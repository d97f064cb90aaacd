package io.quarkiverse.lock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.Browser;
import io.quarkiverse.lock.testkit.Await;

/** The page, clicked through. Profile {@code browser}; needs Chromium and chromedriver. */
class BrowserCheck {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int ROUNDS = 10;

    @Test
    void showsTheDifference() throws Exception {
        try (var shops = new Shops(Backend.REDIS); var browser = new Browser()) {
            browser.open(shops.first());
            assertThat(browser.evaluate("document.getElementById('locked').checked").asBoolean()).isTrue();

            browser.click(".switch");
            for (int round = 0; round < ROUNDS && browser.text("oversold").equals("0"); round++) {
                sell(browser);
            }
            assertThat(Integer.parseInt(browser.text("oversold"))).isPositive();
            browser.screenshot(Path.of("target/flash-sale-without-lock.png"));

            browser.click(".switch");
            sell(browser);
            assertThat(browser.text("sold")).isEqualTo("100");
            assertThat(browser.text("oversold")).isEqualTo("0");
            assertThat(browser.text("left")).isEqualTo("0");
            assertThat(browser.text("waiting")).isEqualTo("0");
            assertThat(browser.text("verdict")).startsWith("Sold exactly 100");
            assertThat(browser.text("hold")).endsWith("ms");
            assertThat(browser.text("nodes")).contains("node-a", "node-b");
            browser.screenshot(Path.of("target/flash-sale.png"));
        }
    }

    private static void sell(Browser browser) throws Exception {
        browser.click("#start");
        Await.until("the sale ends", PATIENCE,
                () -> browser.evaluate("document.body.dataset.state").asText().equals("done"));
    }
}
