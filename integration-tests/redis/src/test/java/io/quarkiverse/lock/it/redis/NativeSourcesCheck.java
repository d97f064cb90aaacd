package io.quarkiverse.lock.it.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.it.NativeSources;
import io.quarkiverse.lock.it.NativeSourcesChecks;
import io.quarkiverse.lock.it.Order;
import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.runtime.RedisLockBackendProvider;

class NativeSourcesCheck extends NativeSourcesChecks {

    @Override
    protected Class<?> backend() {
        return RedisLockBackend.class;
    }

    @Override
    protected List<String> reflective() {
        return List.of(RedisLockBackendProvider.class.getName(), LockInfo.class.getName(),
                "io.quarkiverse.lock.runtime.config.LockRuntimeConfig$$CMImpl",
                "io.quarkiverse.lock.redis.runtime.RedisLockConfig$$CMImpl");
    }

    @Override
    protected List<String> compiled() {
        return List.of(Order.class.getName(), Order.Customer.class.getName());
    }

    @Test
    void containsEveryScript() throws IOException {
        List<Pattern> included = NativeSources.includedResources();
        List<String> scripts = NativeSources.entries(RedisLockBackend.class, ".lua");
        assertThat(scripts).hasSizeGreaterThanOrEqualTo(5)
                .allMatch(script -> included.stream().anyMatch(pattern -> pattern.matcher(script).matches()));
    }

    @Test
    void initializesClientBuffersAtRunTime() throws IOException {
        assertThat(NativeSources.feature()).contains("io.vertx.redis.client.impl.types.BulkType");
    }
}
