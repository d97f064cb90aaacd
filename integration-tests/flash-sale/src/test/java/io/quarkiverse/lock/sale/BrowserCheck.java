package io.quarkiverse.lock.sale;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.Browser;
import io.quarkiverse.lock.testkit.Await;

/** Clicks through the page. Profile {@code browser}; needs Chromium and chromedriver. */
class BrowserCheck {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int ROUNDS = 10;

    @Test
    void pageShowsEffectOfTheLock() throws Exception {
        try (var shops = new Shops(Backend.REDIS); var browser = new Browser()) {
            browser.open(shops.first());
            assertThat(browser.evaluate("document.getElementById('locked').checked").asBoolean()).isTrue();
            assertThat(browser.evaluate("document.getElementById('kill').hidden").asBoolean()).as("no sentinels").isTrue();

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

    /** What has not yet been copied to the replica may be lost, including a lock. */
    @Test
    void showsMasterFailureWithImmediateGrants() throws Exception {
        showsTheEndOfTheMaster(Backend.SENTINEL, "A grant counts at once, when the master has it.");
    }

    @Test
    void showsMasterFailureWithConfirmedGrants() throws Exception {
        showsTheEndOfTheMaster(Backend.SENTINEL, "A grant counts when 1 of the replicas confirmed it.",
                "-Dquarkus.lock.redis.replica-acks=1");
    }

    @Test
    void showsMasterFailureWithGrace() throws Exception {
        showsTheEndOfTheMaster(Backend.GRACE, "A grant counts at once, when the master has it. After a fail-over nobody is "
                + "granted a lock until the longest lease is over.");
    }

    /** Twice: by the second time the former master has come back as a replica. */
    private static void showsTheEndOfTheMaster(Backend backend, String safety, String... options) throws Exception {
        try (var shops = new Shops(backend, options); var browser = new Browser()) {
            browser.open(shops.first());
            for (int time = 0; time < 2; time++) {
                Await.until("a replica follows", PATIENCE, () -> browser
                        .evaluate("!document.getElementById('kill').disabled && !document.getElementById('kill').hidden "
                                + "&& document.getElementById('safety').textContent !== ''")
                        .asBoolean());
                assertThat(browser.text("safety")).isEqualTo(safety);
                browser.click("#kill");
                Await.until("the sale ends", PATIENCE,
                        () -> browser.evaluate("document.body.dataset.state").asText().equals("done"));
                String verdict = browser.text("fall-verdict");
                assertThat(browser.text("waiting")).as(verdict).isEqualTo("0");
                assertThat(browser.text("verdict")).endsWith("though the master died.");
                assertThat(browser.text("master-after")).startsWith("port ").endsWith("s later")
                        .doesNotStartWith(browser.text("master-before") + ",");
                assertThat(verdict).startsWith("The token rose.");
                if (options.length > 0 || backend == Backend.GRACE) {
                    assertThat(browser.text("oversold")).as(verdict).isEqualTo("0");
                }
            }
            browser.evaluate("document.getElementById('fall').scrollIntoView({block: 'end'})");
            browser.screenshot(Path.of("target/flash-sale-without-master.png"));
        }
    }

    private static void sell(Browser browser) throws Exception {
        browser.click("#start");
        Await.until("the sale ends", PATIENCE,
                () -> browser.evaluate("document.body.dataset.state").asText().equals("done"));
    }
}
