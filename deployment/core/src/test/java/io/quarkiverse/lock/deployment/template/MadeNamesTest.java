package io.quarkiverse.lock.deployment.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** {@link LockManager#nameOf} makes the names that methods lock, whatever the template and the values. */
class MadeNamesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Stock.class, Order.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("shop.tenant", "-acme,");

    private static final List<Object> NASTY = List.of("", "eu-1", "-", "--", ",", "a,", "\\", "\\-", "-\\", "\\,", "a\\b",
            "{a}",
            "}}", "${shop.tenant}", "\ud83d", "\ude00", "\ud83d\ude00", "\n",
            UUID.fromString("0000007b-0000-01c8-0000-000000000315"),
            -7L, '-', 1.5, List.of("-", 1), true);

    @Inject
    Stock stock;

    @Test
    void nameOfMatchesTheLockedName() {
        for (Object a : NASTY) {
            assertThat(stock.one(a)).isEqualTo(LockManager.nameOf(Stock.ONE, a));
            for (Object b : NASTY) {
                assertThat(stock.two(a, b)).isEqualTo(LockManager.nameOf(Stock.TWO, a, b));
                assertThat(stock.adjacent(a, b)).isEqualTo(LockManager.nameOf(Stock.ADJACENT, a, b));
                assertThat(stock.comma(a, b)).isEqualTo(LockManager.nameOf(Stock.COMMA, a, b));
                assertThat(stock.emoji(a, b)).isEqualTo(LockManager.nameOf(Stock.EMOJI, a, b));
                assertThat(stock.configured(a, b)).isEqualTo(LockManager.nameOf(Stock.CONFIGURED, a, b));
                assertThat(stock.ofOrder(new Order(a, b))).isEqualTo(LockManager.nameOf(Stock.OF_ORDER, a, b, a));
            }
        }
        assertThat(stock.constant()).isEqualTo(LockManager.nameOf(Stock.CONSTANT));
    }

    public record Order(Object id, Object item) {
    }

    @ApplicationScoped
    public static class Stock {

        static final String ONE = "stock-{a}-";
        static final String TWO = "{{stock}}-{a}-{b}-";
        static final String ADJACENT = "{a}{b}";
        static final String COMMA = "{a}, {b}";
        static final String EMOJI = "{a}\ud83d\ude00{b}";
        static final String CONFIGURED = "${shop.tenant}{a}${shop.tenant}{b}${shop.tenant}";
        static final String OF_ORDER = "order-{order.id}--{order.item}{order.id}";
        static final String CONSTANT = "${shop.tenant}{{}}";

        @Inject
        CurrentLock lock;

        @Locked(ONE)
        String one(Object a) {
            return held();
        }

        @Locked(TWO)
        String two(Object a, Object b) {
            return held();
        }

        @Locked(ADJACENT)
        String adjacent(Object a, Object b) {
            return held();
        }

        @Locked(COMMA)
        String comma(Object a, Object b) {
            return held();
        }

        @Locked(EMOJI)
        String emoji(Object a, Object b) {
            return held();
        }

        @Locked(CONFIGURED)
        String configured(Object a, Object b) {
            return held();
        }

        @Locked(OF_ORDER)
        String ofOrder(Order order) {
            return held();
        }

        @Locked(CONSTANT)
        String constant() {
            return held();
        }

        private String held() {
            return lock.fencingTokens().keySet().iterator().next();
        }
    }
}
