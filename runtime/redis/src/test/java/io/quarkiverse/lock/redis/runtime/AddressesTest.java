package io.quarkiverse.lock.redis.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkus.redis.runtime.client.config.RedisClientConfig;

/** The lock addresses in the log: enough to compare applications, and no password. */
class AddressesTest {

    private static String of(Map<String, Object> settings) {
        return Addresses.of((RedisClientConfig) Proxy.newProxyInstance(RedisClientConfig.class.getClassLoader(),
                new Class<?>[] { RedisClientConfig.class }, (proxy, method, args) -> settings.get(method.getName())));
    }

    private static String of(String... hosts) {
        return of(Map.of("hosts",
                Optional.of(Stream.of(hosts).map(URI::create).collect(Collectors.toCollection(LinkedHashSet::new)))));
    }

    @Test
    void onlyHostPortAndDatabaseAreShown() {
        assertThat(of("redis://redis.example")).isEqualTo("redis.example:6379/0");
        assertThat(of("rediss://me:secret@redis.example:6380/3?db=4")).isEqualTo("redis.example:6380/3");
        assertThat(of("redis://redis.example?password=secret&db=4")).isEqualTo("redis.example:6379/4");
        assertThat(of("redis://[::1]/?password=secret")).isEqualTo("[::1]:6379/0");
        assertThat(of("unix:///run/redis.sock?password=secret&db=5")).isEqualTo("/run/redis.sock/5");
    }

    @Test
    void invalidAddressIsNotShown() {
        assertThat(of("me:secret@redis.example")).isEqualTo("an unreadable address");
    }

    @Test
    void hostsAreShownInSortedOrder() {
        assertThat(of("redis://b:26379", "redis://:secret@a:26379")).isEqualTo("a:26379/0, b:26379/0");
    }

    @Test
    void hostsProviderIsShownByName() {
        assertThat(of(Map.of("hosts", Optional.empty(), "hostsProviderName", Optional.of("registry"))))
                .isEqualTo("the hosts of 'registry'");
        assertThat(of(Map.of("hosts", Optional.empty(), "hostsProviderName", Optional.empty()))).isEqualTo("no hosts");
    }
}
