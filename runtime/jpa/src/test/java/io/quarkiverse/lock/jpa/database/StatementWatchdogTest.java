package io.quarkiverse.lock.jpa.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;

class StatementWatchdogTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final StatementWatchdog overdue = new StatementWatchdog();
    private final AtomicInteger aborts = new AtomicInteger();

    @AfterEach
    void end() {
        overdue.close();
    }

    /** Like the driver's connection: the pool's wrapper refuses to be aborted. */
    private Connection connection(Runnable onAbort) {
        Connection physical = fake("abort", () -> {
            aborts.incrementAndGet();
            onAbort.run();
            return null;
        });
        return fake("unwrap", () -> physical);
    }

    @FunctionalInterface
    private interface Result {
        @Nullable
        Object get();
    }

    private static Connection fake(String method, Result result) {
        return (Connection) Proxy.newProxyInstance(StatementWatchdogTest.class.getClassLoader(),
                new Class<?>[] { Connection.class },
                (self, called, arguments) -> {
                    assertThat(called.getName()).isEqualTo(method);
                    return result.get();
                });
    }

    private static long in(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    @Test
    void hangingStepIsAborted() {
        var aborted = new CountDownLatch(1);
        long before = System.nanoTime();
        assertThatThrownBy(() -> overdue.within(in(Duration.ofMillis(300)), connection(aborted::countDown), step -> {
            assertThat(await(aborted)).isTrue();
            throw new SQLException("aborted");
        })).hasMessage("aborted");
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
        assertThat(aborts).hasValue(1);
    }

    /** Otherwise the connection would already be in use elsewhere. */
    @Test
    void stepEndsOnlyAfterItsAbort() throws SQLException {
        var aborting = new CountDownLatch(1);
        var stepOver = new CountDownLatch(1);
        boolean[] ended = new boolean[1];
        Connection connection = connection(() -> {
            aborting.countDown();
            await(stepOver);
            // Time enough for a step that does not wait to end
            Await.during("the abort takes a while", Duration.ofMillis(200), () -> true);
            ended[0] = true;
        });
        Thread.currentThread().interrupt();
        String answer = overdue.within(System.nanoTime(), connection, step -> {
            assertThat(Thread.interrupted()).isTrue();
            await(aborting);
            stepOver.countDown();
            Thread.currentThread().interrupt();
            return "done at the last moment";
        });
        assertThat(Thread.interrupted()).as("interrupted as before").isTrue();
        assertThat(ended[0]).isTrue();
        assertThat(answer).isEqualTo("done at the last moment");
    }

    @Test
    void finishedStepIsNotAborted() throws SQLException {
        for (int i = 0; i < 20; i++) {
            overdue.within(in(Duration.ofSeconds(2)), connection(() -> {
            }), step -> true);
        }
        Await.during("nothing is aborted", Duration.ofMillis(2_500), () -> aborts.get() == 0);
    }

    @Test
    void otherStepsAreNotAborted() throws Exception {
        var hanging = new CountDownLatch(1);
        var thread = new Thread(() -> {
            try {
                overdue.within(System.nanoTime(), connection(hanging::countDown), step -> await(hanging));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        var other = new AtomicInteger();
        Connection fine = fake("unwrap", () -> fake("abort", other::incrementAndGet));
        overdue.within(in(Duration.ofMinutes(1)), fine, step -> {
            thread.start();
            return await(hanging);
        });
        thread.join(SOON.toMillis());
        assertThat(aborts).hasValue(1);
        assertThat(other).hasValue(0);
    }

    @Test
    void watchdogThreadLivesFromFirstStepToClose() throws Exception {
        var group = new ThreadGroup("own");
        var before = new AtomicInteger(-1);
        var during = new AtomicInteger(-1);
        var thread = new Thread(group, () -> {
            try {
                StatementWatchdog own = new StatementWatchdog();
                before.set(group.activeCount());
                own.within(in(Duration.ofMinutes(1)), connection(() -> {
                }), step -> {
                    during.set(group.activeCount());
                    return true;
                });
                own.close();
                // Late steps are watched too
                var aborted = new CountDownLatch(1);
                own.within(System.nanoTime(), connection(aborted::countDown), step -> await(aborted));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        thread.join(SOON.toMillis());
        assertThat(before).hasValue(1);
        assertThat(during).hasValue(2);
        assertThat(aborts).hasValue(1);
        // Long before it would end for lack of steps
        Await.until("its thread has ended", Duration.ofSeconds(8), () -> group.activeCount() == 0);
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
