package io.quarkiverse.lock.testkit.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;

class FaultProxyTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration DELAY = Duration.ofSeconds(2);

    private EchoServer server;
    private FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new EchoServer();
        proxy = FaultProxy.to("127.0.0.1", server.port());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void forwardsInBothDirections() throws IOException {
        try (Socket client = connect()) {
            send(client, "one");
            assertThat(receive(client, 3)).isEqualTo("one");
            send(client, "two");
            assertThat(receive(client, 3)).isEqualTo("two");
            assertThat(proxy.connections()).hasSize(1);
        }
        Await.until("the proxy has forgotten the connection", SOON, () -> proxy.connections().isEmpty());
    }

    @Test
    void delaysRequestsWithoutSlowingTheStream() throws IOException {
        try (Socket client = connect()) {
            proxy.delayRequests(DELAY);
            long start = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                send(client, "x");
                Await.during("the server has not got it", Duration.ofMillis(20), () -> server.requests.isEmpty());
            }
            assertThat(receive(client, 5)).isEqualTo("xxxxx");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(DELAY, DELAY.multipliedBy(4));
        }
    }

    @Test
    void deliversRepliesAfterTheDelay() throws IOException {
        try (Socket client = connect()) {
            proxy.delayReplies(DELAY);
            long start = System.nanoTime();
            send(client, "one");
            Await.until("the request has arrived", DELAY.minusMillis(100), () -> server.requests.contains("one"));
            assertThat(receive(client, 3)).isEqualTo("one");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(DELAY.minusMillis(1));
        }
    }

    @Test
    void blackholedDataIsDeliveredLater() throws IOException {
        try (Socket client = connect()) {
            send(client, "one");
            assertThat(receive(client, 3)).isEqualTo("one");
            proxy.blackhole();
            send(client, "two");
            client.setSoTimeout(150);
            assertThatThrownBy(() -> receive(client, 3)).isInstanceOf(SocketTimeoutException.class);
            assertThat(server.requests).containsExactly("one");
            try (Socket silent = connect()) {
                send(silent, "six");
                silent.setSoTimeout(150);
                assertThatThrownBy(() -> receive(silent, 3)).isInstanceOf(SocketTimeoutException.class);
                proxy.pass();
                silent.setSoTimeout(20_000);
                assertThat(receive(silent, 3)).isEqualTo("six");
            }
            client.setSoTimeout(20_000);
            assertThat(receive(client, 3)).isEqualTo("two");
        }
    }

    @Test
    void resetsOpenAndNewConnections() throws IOException {
        try (Socket client = connect()) {
            send(client, "one");
            receive(client, 3);
            proxy.reset();
            assertThatThrownBy(() -> receive(client, 1)).isInstanceOf(SocketException.class).hasMessageContaining("reset");
            Await.until("the server has seen a reset", SOON, () -> server.requests.contains("<reset>"));
        }
        assertThatThrownBy(() -> {
            try (Socket client = connect()) {
                send(client, "two");
                receive(client, 3);
            }
        }).isInstanceOf(SocketException.class);
        assertThat(server.requests).doesNotContain("two");
        proxy.pass();
        forwardsInBothDirections();
    }

    @Test
    void cutsOnlyOpenConnections() throws IOException {
        try (Socket client = connect()) {
            send(client, "one");
            receive(client, 3);
            proxy.cut();
            assertThatThrownBy(() -> receive(client, 1)).isInstanceOf(SocketException.class);
        }
        forwardsInBothDirections();
    }

    @Test
    void dropsRepliesButNotRequests() throws IOException {
        try (Socket client = connect()) {
            proxy.dropReplies();
            send(client, "one");
            client.setSoTimeout(150);
            assertThatThrownBy(() -> receive(client, 3)).isInstanceOf(SocketTimeoutException.class);
            Await.until("the server has got it", SOON, () -> server.requests.contains("one"));
            proxy.pass();
            client.setSoTimeout(20_000);
            assertThatThrownBy(() -> receive(client, 1)).isInstanceOf(SocketException.class).hasMessageContaining("reset");
        }
    }

    @Test
    void dropsOneReplyAndItsConnection() throws IOException {
        proxy.dropReplyTo("two");
        try (Socket client = connect()) {
            send(client, "one");
            assertThat(receive(client, 3)).isEqualTo("one");
            assertThat(proxy.dropPending()).isTrue();
            send(client, "two");
            assertThatThrownBy(() -> receive(client, 3)).isInstanceOf(SocketException.class);
            assertThat(proxy.dropPending()).isFalse();
            assertThat(server.requests).contains("one", "two");
        }
        try (Socket client = connect()) {
            send(client, "two");
            assertThat(receive(client, 3)).isEqualTo("two");
        }
    }

    @Test
    void refusesOnlyNewConnections() throws IOException {
        try (Socket client = connect()) {
            send(client, "one");
            receive(client, 3);
            proxy.refuse();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            send(client, "two");
            assertThat(receive(client, 3)).isEqualTo("two");
        }
        proxy.accept();
        forwardsInBothDirections();
    }

    @Test
    void modeCanBeSetForOneConnection() throws IOException {
        try (Socket good = connect(); Socket bad = connect()) {
            send(good, "good");
            receive(good, 4);
            send(bad, "bad");
            receive(bad, 3);
            proxy.connections().stream().filter(each -> each.sent().contains("bad")).findAny().orElseThrow()
                    .mode(Mode.BLACKHOLE);
            send(bad, "worse");
            send(good, "best");
            assertThat(receive(good, 4)).isEqualTo("best");
            bad.setSoTimeout(100);
            assertThatThrownBy(() -> receive(bad, 5)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void unreachableServerLooksLikeAReset() throws IOException {
        server.close();
        assertThatThrownBy(() -> {
            try (Socket client = connect()) { // a busy machine may not have completed it by then
                receive(client, 1);
            }
        }).isInstanceOf(SocketException.class);
    }

    private Socket connect() throws IOException {
        var socket = new Socket();
        socket.connect(new InetSocketAddress(proxy.host(), proxy.port()), 20_000);
        socket.setSoTimeout(20_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String receive(Socket socket, int length) throws IOException {
        byte[] bytes = socket.getInputStream().readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("The connection has ended");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
