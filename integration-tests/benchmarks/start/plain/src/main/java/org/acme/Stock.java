package org.acme;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.redis.datasource.value.ValueCommands;

@ApplicationScoped
public class Stock {

    private final ValueCommands<String, Long> values;

    Stock(RedisDataSource redis) {
        values = redis.value(Long.class);
    }

    public long take(String id) {
        return values.decr("stock:" + id);
    }
}
