package io.quarkiverse.lock.it.redis;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.it.Counts;
import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.redis.datasource.value.ReactiveValueCommands;
import io.quarkus.redis.datasource.value.ValueCommands;
import io.smallrye.mutiny.Uni;

@ApplicationScoped
class RedisCounts implements Counts {

    private final ValueCommands<String, Long> values;
    private final ReactiveValueCommands<String, Long> reactiveValues;

    RedisCounts(RedisDataSource redis, ReactiveRedisDataSource reactiveRedis) {
        values = redis.value(Long.class);
        reactiveValues = reactiveRedis.value(Long.class);
    }

    @Override
    public long read(String id) {
        return orZero(values.get(key(id)));
    }

    @Override
    public void write(String id, long count) {
        values.set(key(id), count);
    }

    @Override
    public Uni<Long> readLater(String id) {
        return reactiveValues.get(key(id)).map(RedisCounts::orZero);
    }

    @Override
    public Uni<Void> writeLater(String id, long count) {
        return reactiveValues.set(key(id), count);
    }

    private static long orZero(Long read) {
        return read == null ? 0 : read;
    }

    private static String key(String id) {
        return "count:" + id;
    }
}
