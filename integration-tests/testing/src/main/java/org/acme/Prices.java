package org.acme;

import static io.quarkiverse.lock.Locked.OnBusy.FALLBACK;

import java.math.BigDecimal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Uni;

@ApplicationScoped
public class Prices {

    private final Map<String, BigDecimal> cached = new ConcurrentHashMap<>();

    @Locked(value = "price-{id}", waitFor = "0", onBusy = FALLBACK, fallbackMethod = "cachedPrice")
    Uni<BigDecimal> price(String id) {
        return Uni.createFrom().item(BigDecimal.TEN).invoke(price -> cached.put(id, price));
    }

    Uni<BigDecimal> cachedPrice(String id, LockBusyException busy) { // <1>
        return Uni.createFrom().item(cached.getOrDefault(id, BigDecimal.ONE));
    }
}
