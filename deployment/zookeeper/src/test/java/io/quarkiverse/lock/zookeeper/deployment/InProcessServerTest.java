package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;

import org.junit.jupiter.api.Test;

/** The server is a guest in the process that builds the application. */
class InProcessServerTest {

    @Test
    void leavesTheHandlerOfAllThreadsAsItWas() throws Exception {
        var before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.UncaughtExceptionHandler ours = (thread, failure) -> {
        };
        Thread.setDefaultUncaughtExceptionHandler(ours);
        try (var server = new InProcessServer(OptionalInt.empty())) {
            server.start();
            assertThat(Thread.getDefaultUncaughtExceptionHandler()).isSameAs(ours);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }
}
