package io.quarkiverse.lock.it.testing;

import java.util.concurrent.Callable;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.acme.StockClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.lock.Locked;

/** Is paused between reading and writing. */
@ApplicationScoped
public class SlowWarehouse {

    @Inject
    @RestClient
    StockClient stock;

    @Inject
    @RestClient
    UnguardedStockClient unguarded;

    @Locked("stock-{id}")
    public void sell(String id, int sold, boolean guarded, Callable<?> pause) throws Exception {
        int left = stock.read(id) - sold;
        pause.call();
        if (guarded) {
            stock.write(id, left);
        } else {
            unguarded.write(id, left);
        }
    }
}
