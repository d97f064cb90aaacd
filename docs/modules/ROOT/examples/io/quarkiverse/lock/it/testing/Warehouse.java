package io.quarkiverse.lock.it.testing;

import java.util.concurrent.Callable;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.rest.FencingTokenHeader;
import io.smallrye.mutiny.Uni;

/** Changes numbers that another application keeps. */
@ApplicationScoped
public class Warehouse {

    @Inject
    @RestClient
    StockClient stock;

    @Inject
    CurrentLock lock;

    // tag::sell[]
    @Locked("stock-{id}")
    public void sell(String id, int sold) {
        stock.write(id, stock.read(id) - sold); // <1>
    }
    // end::sell[]

    // tag::later[]
    @Locked("stock-{id}")
    public Uni<Void> setLater(String id, int amount) {
        return lock.fencingTokensAsync()
                .flatMap(tokens -> stock.writeLater(id, amount, FencingTokenHeader.of(tokens)));
    }
    // end::later[]

    /** Is paused between reading and writing. */
    @Locked("stock-{id}")
    public void sellSlowly(String id, int sold, boolean guarded, Callable<?> pause) throws Exception {
        int left = stock.read(id) - sold;
        pause.call();
        if (guarded) {
            stock.write(id, left);
        } else {
            stock.writeUnguarded(id, left);
        }
    }
}
