package io.quarkiverse.lock.it.devservice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockManager;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;

/** Needs a container engine, and nothing else. */
@QuarkusTest
class VisitsTest {

    private static final int VISITORS = 20;

    @Inject
    Visits visits;

    @Inject
    LockManager locks;

    @Inject
    RedisDataSource redis;

    @Test
    void countsEveryVisit() throws Exception {
        ExecutorService visitors = Executors.newFixedThreadPool(VISITORS);
        try {
            Callable<Long> visit = () -> visits.count("home");
            List<Long> counts = new ArrayList<>();
            for (var count : visitors.invokeAll(java.util.Collections.nCopies(VISITORS, visit))) {
                counts.add(count.get());
            }
            assertThat(counts).containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, VISITORS).boxed().toList());
        } finally {
            visitors.shutdownNow();
        }
    }

    @Test
    void locksAreStoredInTheContainer() {
        try (var hold = locks.lock("in-the-container").acquire()) {
            assertThat(hold.validFor()).isGreaterThan(Duration.ofSeconds(1));
            assertThat(redis.key().keys("*in-the-container*")).hasSize(1);
        }
    }
}
