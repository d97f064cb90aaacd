package org.acme;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.rest.FencingTokenHeader;
import io.smallrye.mutiny.Uni;

@ApplicationScoped
public class ReactiveWarehouse {

    @Inject
    @RestClient
    ReactiveStockClient stock;

    @Inject
    CurrentLock lock;

    @Locked("stock-{id}")
    public Uni<Void> set(String id, int amount) {
        return lock.fencingTokensAsync()
                .flatMap(tokens -> stock.write(id, amount, FencingTokenHeader.of(tokens)));
    }
}
