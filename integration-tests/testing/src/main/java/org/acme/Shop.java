package org.acme;

import static io.quarkiverse.lock.Locked.OnBusy.SKIP;
import static io.quarkiverse.lock.Locked.OnLost.INTERRUPT;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;
import io.quarkus.scheduler.Scheduled;

@ApplicationScoped
public class Shop {

    public record Order(String id) {
    }

    @Locked("order-{order.id}") // <1>
    void pay(Order order) {
        Log.infof("Order %s is paid", order.id());
    }

    @Locked(value = "report", waitFor = "0", onBusy = SKIP, holdAtLeast = "1m") // <2>
    @Scheduled(cron = "0 0 * * * ?")
    void report() {
        Log.info("The report is written");
    }

    @Locked(value = "import-{file}", lease = "${import.lease:2m}", onLost = INTERRUPT) // <3>
    void load(String file) throws InterruptedException {
        Log.infof("%s is imported", file);
    }
}
