package io.quarkiverse.lock.redis.runtime;

import java.util.List;

import io.quarkus.vertx.VertxOptionsCustomizer;
import io.quarkus.vertx.core.runtime.config.AddressResolverConfiguration;
import io.quarkus.vertx.core.runtime.config.VertxConfiguration;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;

/**
 * What the Vert.x of locks has in common with that of the application: both reach the same servers. Whether
 * {@code quarkus.vertx.use-async-dns} is set needs no copy, as Quarkus makes it a property of the JVM.
 */
final class ApplicationVertx {

    private ApplicationVertx() {
    }

    static VertxOptions options(Vertx application, VertxConfiguration config,
            List<VertxOptionsCustomizer> customizers) {
        var options = new VertxOptions().setPreferNativeTransport(application.isNativeTransportEnabled())
                .setAddressResolverOptions(resolver(config.resolver()));
        return options.setAddressResolverOptions(customized(new VertxOptions(options), customizers));
    }

    /** Whatever else they set is for the application's Vert.x only. */
    private static AddressResolverOptions customized(VertxOptions options, List<VertxOptionsCustomizer> customizers) {
        for (VertxOptionsCustomizer customizer : customizers) {
            try {
                customizer.accept(options);
            } catch (RuntimeException e) {
                throw new IllegalStateException(customizer.getClass().getName() + ", a VertxOptionsCustomizer of the "
                        + "application, fails when it is called again, for the Vert.x of locks: " + e, e);
            }
        }
        return options.getAddressResolverOptions();
    }

    private static AddressResolverOptions resolver(AddressResolverConfiguration config) {
        var options = new AddressResolverOptions()
                .setCacheMaxTimeToLive(config.cacheMaxTimeToLive())
                .setCacheMinTimeToLive(config.cacheMinTimeToLive())
                .setCacheNegativeTimeToLive(config.cacheNegativeTimeToLive())
                .setMaxQueries(config.maxQueries())
                .setQueryTimeout(config.queryTimeout().toMillis())
                .setHostsRefreshPeriod(config.hostRefreshPeriod())
                .setOptResourceEnabled(config.optResourceEnabled())
                .setRdFlag(config.rdFlag())
                .setNdots(config.ndots())
                .setRoundRobinInetAddress(config.roundRobinInetAddress());
        config.hostsPath().ifPresent(options::setHostsPath);
        config.servers().ifPresent(options::setServers);
        config.searchDomains().ifPresent(options::setSearchDomains);
        config.rotateServers().ifPresent(options::setRotateServers);
        return options;
    }
}
