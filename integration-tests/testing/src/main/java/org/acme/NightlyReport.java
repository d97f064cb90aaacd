package org.acme;

import static io.quarkiverse.lock.Locked.OnBusy.SKIP;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.logging.Log;
import io.quarkus.scheduler.Scheduled;

@ApplicationScoped
public class NightlyReport {

    @Scheduled(cron = "0 0 3 * * ?")
    @Locked(value = "nightly-report", waitFor = "0", onBusy = SKIP, holdAtLeast = "30s")
    void write() {
        Log.info("The report of the day is written");
    }
}
