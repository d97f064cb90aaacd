package org.acme;

import static io.quarkiverse.lock.Locked.OnBusy.SKIP;
import static io.quarkiverse.lock.Locked.OnLost.INTERRUPT;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;
import io.quarkus.scheduler.Scheduled;

@ApplicationScoped
public class HourlyReport {

    @Scheduled(cron = "0 0 * * * ?")
    @Locked(value = "hourly-report", waitFor = "0", onBusy = SKIP, holdAtLeast = "30s", maxHold = "50m", onLost = INTERRUPT)
    void write() {
        Log.info("The report of the hour is written");
    }
}
