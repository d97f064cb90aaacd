package io.quarkiverse.lock.redis.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.vertx.VertxOptionsCustomizer;
import io.quarkus.vertx.core.runtime.config.AddressResolverConfiguration;
import io.quarkus.vertx.core.runtime.config.VertxConfiguration;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;

/** What the Vert.x instance for locks takes over from the application's. */
class ApplicationVertxTest {

    /** Only an address resolver, with these settings and otherwise its defaults. */
    static VertxConfiguration config(Map<String, Object> settings) {
        Map<String, Object> all = new HashMap<>(Map.of("cacheMaxTimeToLive", Integer.MAX_VALUE, "cacheMinTimeToLive", 0,
                "cacheNegativeTimeToLive", 0, "maxQueries", 4, "queryTimeout", Duration.ofSeconds(5), "hostRefreshPeriod", 0,
                "optResourceEnabled", false, "rdFlag", true, "ndots", -1, "roundRobinInetAddress", false));
        all.putAll(Map.of("hostsPath", Optional.empty(), "servers", Optional.empty(), "searchDomains", Optional.empty(),
                "rotateServers", Optional.empty()));
        all.putAll(settings);
        return proxy(VertxConfiguration.class, Map.of("resolver", proxy(AddressResolverConfiguration.class, all)));
    }

    private static <T> T proxy(Class<T> type, Map<String, Object> results) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                (proxy, method, args) -> results.get(method.getName())));
    }

    private static VertxOptions options(boolean nativeTransport, Map<String, Object> resolver,
            VertxOptionsCustomizer... customizers) {
        return ApplicationVertx.options(proxy(Vertx.class, Map.of("isNativeTransportEnabled", nativeTransport)),
                config(resolver), List.of(customizers));
    }

    @Test
    @Fault(529)
    void fault529_transportMatchesTheApplication() {
        assertThat(options(true, Map.of()).getPreferNativeTransport()).isTrue();
        assertThat(options(false, Map.of()).getPreferNativeTransport()).isFalse();
    }

    @Test
    @Fault(529)
    void fault529_resolverSettingsMatchTheApplication() {
        var settings = new HashMap<String, Object>(Map.of("cacheMaxTimeToLive", 11, "cacheMinTimeToLive", 12,
                "cacheNegativeTimeToLive", 13, "maxQueries", 14, "queryTimeout", Duration.ofMillis(15), "hostRefreshPeriod", 16,
                "optResourceEnabled", true, "rdFlag", false, "ndots", 17, "roundRobinInetAddress", true));
        settings.putAll(Map.of("hostsPath", Optional.of("/etc/others"), "servers", Optional.of(List.of("10.0.0.1:53")),
                "searchDomains", Optional.of(List.of("locks.test")), "rotateServers", Optional.of(true)));
        var resolver = options(false, settings).getAddressResolverOptions();
        assertThat(resolver.getCacheMaxTimeToLive()).isEqualTo(11);
        assertThat(resolver.getCacheMinTimeToLive()).isEqualTo(12);
        assertThat(resolver.getCacheNegativeTimeToLive()).isEqualTo(13);
        assertThat(resolver.getMaxQueries()).isEqualTo(14);
        assertThat(resolver.getQueryTimeout()).isEqualTo(15);
        assertThat(resolver.getHostsRefreshPeriod()).isEqualTo(16);
        assertThat(resolver.isOptResourceEnabled()).isTrue();
        assertThat(resolver.getRdFlag()).isFalse();
        assertThat(resolver.getNdots()).isEqualTo(17);
        assertThat(resolver.isRoundRobinInetAddress()).isTrue();
        assertThat(resolver.getHostsPath()).isEqualTo("/etc/others");
        assertThat(resolver.getServers()).containsExactly("10.0.0.1:53");
        assertThat(resolver.getSearchDomains()).containsExactly("locks.test");
        assertThat(resolver.isRotateServers()).isTrue();
    }

    @Test
    @Fault(529)
    void fault529_customizersAffectOnlyTheResolver() {
        var options = options(true, Map.of("searchDomains", Optional.of(new ArrayList<>(List.of("locks.test")))),
                each -> each.setEventLoopPoolSize(7).setPreferNativeTransport(false).getAddressResolverOptions()
                        .setNdots(17).addSearchDomain("shop.test"),
                each -> each.getAddressResolverOptions().setNdots(each.getAddressResolverOptions().getNdots() + 1));
        assertThat(options.getAddressResolverOptions().getNdots()).isEqualTo(18);
        assertThat(options.getAddressResolverOptions().getSearchDomains()).containsExactly("locks.test", "shop.test");
        assertThat(options.getPreferNativeTransport()).isTrue();
        assertThat(options.getEventLoopPoolSize()).isEqualTo(VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE);
    }

    /** As in the application, where customizers run after the configuration. */
    @Test
    @Fault(529)
    void fault529_customizersSeeTheTransport() {
        List<Boolean> seen = new ArrayList<>();
        options(true, Map.of(), each -> seen.add(each.getPreferNativeTransport()));
        options(false, Map.of(), each -> seen.add(each.getPreferNativeTransport()));
        assertThat(seen).containsExactly(true, false);
    }

    /** The customizer worked for the application's own Vert.x instance. */
    @Test
    @Fault(529)
    void fault529_failingCustomizerIsNamed() {
        class OnlyOnce implements VertxOptionsCustomizer {

            @Override
            public void accept(VertxOptions options) {
                throw new IllegalStateException("it was called before");
            }
        }
        assertThatThrownBy(() -> options(true, Map.of(), new OnlyOnce())).hasMessageContaining("OnlyOnce")
                .hasMessageContaining("for the Vert.x of locks").hasMessageContaining("it was called before")
                .hasRootCauseMessage("it was called before");
    }
}
