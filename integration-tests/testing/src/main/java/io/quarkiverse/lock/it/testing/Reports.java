package io.quarkiverse.lock.it.testing;

import static io.quarkiverse.lock.Locked.OnBusy.SKIP;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.quarkus.scheduler.Scheduled;

/** The guide's examples of what is scheduled. */
@ApplicationScoped
public class Reports {

    @Scheduled(cron = "0 0 3 * * ?")
    @Locked(value = "nightly-report", waitFor = "0", onBusy = SKIP, holdAtLeast = "30s")
    void nightlyReport() {
        write("night");
    }

    @Scheduled(cron = "${reports.cron:off}")
    @Locked(value = "hourly-report", waitFor = "0", onBusy = SKIP, holdAtLeast = "30s", maxHold = "50m")
    void hourlyReport() {
        write("hour");
    }

    private void write(String what) {
        // only when it is run
    }
}
