package io.quarkiverse.lock.sale;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.redis.datasource.list.ListCommands;
import io.quarkus.redis.datasource.value.ValueCommands;

/** The remaining items and the orders, in the Redis that all nodes share. */
@ApplicationScoped
class Stock {

    private static final Duration KEEP = Duration.ofHours(1);

    private final ValueCommands<String, Integer> left;
    private final ListCommands<String, String> orders;

    Stock(RedisDataSource redis) {
        left = redis.value(Integer.class);
        orders = redis.list(String.class);
    }

    void fill(String sale, int items) {
        left.setex(leftKey(sale), KEEP.toSeconds(), items);
    }

    int left(String sale) {
        Integer items = left.get(leftKey(sale));
        if (items == null) {
            throw new IllegalStateException("There is no sale " + sale);
        }
        return items;
    }

    void write(String sale, int items) {
        left.setex(leftKey(sale), KEEP.toSeconds(), items);
    }

    void order(String sale, String buyer) {
        orders.rpush(ordersKey(sale), buyer);
    }

    static String leftKey(String sale) {
        return "flash-sale:" + sale + ":left";
    }

    static String ordersKey(String sale) {
        return "flash-sale:" + sale + ":orders";
    }
}
