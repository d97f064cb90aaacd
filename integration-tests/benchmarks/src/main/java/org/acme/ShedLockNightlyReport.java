package org.acme;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

@Component
public class ShedLockNightlyReport {

    @Scheduled(cron = "0 0 3 * * ?")
    @SchedulerLock(name = "nightly-report", lockAtMostFor = "PT2H", lockAtLeastFor = "PT30S")
    void write() {
        System.out.println("The report of the day is written");
    }
}
