package io.quarkiverse.lock.it.devservice;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.redis.datasource.RedisDataSource;

/** Counts in Redis. There is no application.properties: the dev service provides the address of Redis. */
@ApplicationScoped
public class Visits {

    private final RedisDataSource redis;

    Visits(RedisDataSource redis) {
        this.redis = redis;
    }

    @Locked("visits-{page}")
    public long count(String page) {
        var values = redis.value(String.class, Long.class);
        Long read = values.get(page);
        long next = read == null ? 1 : read + 1;
        values.set(page, next);
        return next;
    }
}
