package org.acme;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.lock.Locked;

@ApplicationScoped
public class Warehouse {

    @Inject
    @RestClient
    StockClient stock;

    @Locked("stock-{id}")
    public void sell(String id, int sold) {
        stock.write(id, stock.read(id) - sold); // <1>
    }
}
