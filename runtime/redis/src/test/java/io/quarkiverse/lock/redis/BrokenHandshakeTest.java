package io.quarkiverse.lock.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.LogLines;

/** If a server resets a connection before it is usable, we report that, and the client logs no unhandled error. */
class BrokenHandshakeTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final byte[] HELLO = "%1\r\n$6\r\nserver\r\n$5\r\nredis\r\n".getBytes(US_ASCII);

    private final AtomicInteger reset = new AtomicInteger();

    @Test
    void resetDuringHandshakeIsReportedCleanly() throws IOException {
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var clientLog = LogLines.news("io.vertx.redis");
                var log = LogLines.warnings(RedisLockBackend.class.getPackageName())) {
            Thread serving = new Thread(() -> serve(server));
            serving.setDaemon(true);
            serving.start();
            try (var jvm = new Jvm("redis://127.0.0.1:" + server.getLocalPort(), Jvm.timeout(SOON))) {
                Await.until("it has tried again after a reset", SOON, () -> reset.get() > 3);
                Await.until("that is reported", SOON, () -> !log.messages().isEmpty());
            }
            assertThat(log.messages()).singleElement().asString().contains("Cannot connect to Redis");
            assertThat(clientLog.messages()).isEmpty();
        }
    }

    private void serve(ServerSocket server) {
        try {
            while (true) {
                Socket connection = server.accept();
                Thread answering = new Thread(() -> greetAndReset(connection));
                answering.setDaemon(true);
                answering.start();
            }
        } catch (IOException e) {
            // closed
        }
    }

    /** The first request is the client's, the second is ours. */
    private void greetAndReset(Socket connection) {
        try (connection) {
            byte[] question = new byte[4096];
            if (connection.getInputStream().read(question) > 0) {
                connection.getOutputStream().write(HELLO);
                if (connection.getInputStream().read(question) > 0) {
                    connection.setSoLinger(true, 0);
                    reset.incrementAndGet();
                }
            }
        } catch (IOException e) {
            // the client has gone
        }
    }
}
