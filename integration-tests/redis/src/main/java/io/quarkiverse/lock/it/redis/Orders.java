package io.quarkiverse.lock.it.redis;

import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.quarkus.redis.datasource.RedisDataSource;
import io.smallrye.mutiny.Uni;

/** Counts up by reading, adding one and writing: a call that comes in between is lost, unless the lock keeps it out. */
@ApplicationScoped
public class Orders {

    private final Witness witness;
    private final LockManager locks;
    private final RedisDataSource redis;
    private final ReactiveRedisDataSource reactiveRedis;

    Orders(Witness witness, LockManager locks, RedisDataSource redis, ReactiveRedisDataSource reactiveRedis) {
        this.witness = witness;
        this.locks = locks;
        this.redis = redis;
        this.reactiveRedis = reactiveRedis;
    }

    @Locked("order-{order.id}")
    public long count(Order order) {
        witness.enter();
        try {
            var values = redis.value(String.class, Long.class);
            Long read = values.get(key(order));
            long next = read == null ? 1 : read + 1;
            values.set(key(order), next);
            return next;
        } finally {
            witness.leave();
        }
    }

    @Locked("order-{order.id}")
    public Uni<Long> countLater(Order order) {
        witness.enter();
        var values = reactiveRedis.value(String.class, Long.class);
        return values.get(key(order)).map(read -> read == null ? 1 : read + 1)
                .call(next -> values.set(key(order), next))
                .onTermination().invoke(witness::leave);
    }

    @Locked("order-{order.id}")
    public CompletionStage<Long> countInStage(Order order) {
        witness.enter();
        return CompletableFuture.supplyAsync(() -> {
            var values = redis.value(String.class, Long.class);
            Long read = values.get(key(order));
            long next = read == null ? 1 : read + 1;
            values.set(key(order), next);
            witness.leave();
            return next;
        });
    }

    /** Calls that need the same lock again, through the bean that keeps it. */
    @Locked("order-{order.id}")
    public <T> T inside(Order order, Supplier<T> body) {
        return body.get();
    }

    @Locked("{order.id}/{order.customer.country}/{order.customer.number}")
    public String namedByEverything(Order order) {
        return youngestHold();
    }

    @Locked("transfer-{from}-{to}")
    public String namedByTwo(String from, String to) {
        return youngestHold();
    }

    @Locked
    public String namedByTheMethod() {
        return youngestHold();
    }

    int mostAtOnce() {
        return witness.most();
    }

    private String youngestHold() {
        return locks.held().stream().min(Comparator.comparing(HeldLock::heldFor)).orElseThrow().name();
    }

    private static String key(Order order) {
        return "count:" + order.id();
    }
}
