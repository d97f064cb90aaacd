package org.acme;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class ShopWithId {

    @Locked(value = "order-{order}", id = "pay")
    void pay(String order) {
        Log.infof("Order %s is paid", order);
    }
}
