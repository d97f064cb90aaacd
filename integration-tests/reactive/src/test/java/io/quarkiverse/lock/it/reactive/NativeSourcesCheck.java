package io.quarkiverse.lock.it.reactive;

import java.util.List;

import org.acme.Account;

import io.quarkiverse.lock.it.NativeSourcesChecks;
import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.redis.runtime.RedisLockBackendProvider;

class NativeSourcesCheck extends NativeSourcesChecks {

    @Override
    protected Class<?> backend() {
        return RedisLockBackend.class;
    }

    @Override
    protected List<String> reflective() {
        return List.of(RedisLockBackendProvider.class.getName(), Account.class.getName(),
                "io.quarkiverse.lock.runtime.config.LockRuntimeConfig$$CMImpl",
                "io.quarkiverse.lock.redis.runtime.RedisLockConfig$$CMImpl");
    }
}
