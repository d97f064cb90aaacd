package org.acme;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;

@ApplicationScoped
public class StockSale {

    @Locked("stock-{id}")
    public void sell(String id, Runnable body) {
        body.run();
    }
}
