package org.acme;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;

@ApplicationScoped
public class Payments {

    public record Order(String id, BigDecimal amount) {
    }

    @Locked("order-{order.id}") // <1>
    @Transactional
    public void pay(Order order) {
        Log.infof("Order %s is paid", order.id());
    }
}
