package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;

import org.apache.curator.test.InstanceSpec;
import org.junit.jupiter.api.Test;

/** The server runs in the process that builds the application, and must not disturb it. */
class InProcessServerTest {

    @Test
    void defaultUncaughtExceptionHandlerIsKept() throws Exception {
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

    @Test
    void listensOnConfiguredPort() throws Exception {
        int port = InstanceSpec.getRandomPort();
        try (var server = new InProcessServer(OptionalInt.of(port))) {
            server.start();
            assertThat(server.getConnectionInfo()).isEqualTo("127.0.0.1:" + port);
            try (var client = new Socket("127.0.0.1", port)) {
                client.getOutputStream().write("ruok".getBytes(StandardCharsets.US_ASCII));
                client.shutdownOutput();
                assertThat(client.getInputStream().readAllBytes()).as("it answers, even if only to refuse").isNotEmpty();
            }
        }
    }
}
