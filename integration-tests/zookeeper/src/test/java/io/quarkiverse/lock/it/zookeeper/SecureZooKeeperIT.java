package io.quarkiverse.lock.it.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.Node;
import io.restassured.path.json.JsonPath;

/** The packaged application and a ZooKeeper that requires a login, with and without TLS. */
class SecureZooKeeperIT {

    private static final String READY = "/orders/most-at-once";

    private static SecureZooKeeper server;
    private static Node plain;
    private static Node encrypted;
    private static Node mistaken;
    private static Node registered;

    @BeforeAll
    static void start() throws Exception {
        server = new SecureZooKeeper();
        plain = new Node("sasl", READY, server.login("Shop"));
        encrypted = new Node("sasl-tls", READY, server.loginOverTls());
        mistaken = new Node("sasl-wrong", READY, server.login("Wrong"),
                Map.of("quarkus.lock.zookeeper.operation-timeout", "3s"));
        registered = new Node("registered", READY, server.registered());
        plain.awaitReady();
        encrypted.awaitReady();
        mistaken.awaitReady();
        registered.awaitReady();
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable each : new AutoCloseable[] { plain, encrypted, mistaken, registered, server }) {
            if (each != null) {
                each.close();
            }
        }
    }

    @Test
    void lockNodesAreDeniedToUnauthenticatedClients() throws Exception {
        String token = acquire(plain, "secret");
        try (CuratorFramework stranger = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
            stranger.start();
            assertThatThrownBy(() -> stranger.getChildren().forPath("/it/secret")).isInstanceOf(NoAuthException.class);
        }
        release(plain, "secret", token);
    }

    @Test
    void tlsAndPlainClientsShareLocks() throws Exception {
        String token = acquire(encrypted, "shared");
        assertThat(send(plain, "POST", "/locks/shared/try").statusCode()).as("held by the TLS client").isEqualTo(404);
        var waiting = plain.call("POST", "/locks/shared");
        release(encrypted, "shared", token);
        release(plain, "shared", token(waiting.get(30, TimeUnit.SECONDS)));
    }

    @Test
    void wrongPasswordFailsCallPromptly() throws Exception {
        long start = System.nanoTime();
        HttpResponse<String> refused = send(mistaken, "POST", "/locks/refused/try");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
        assertThat(refused.body()).contains("refuses the credentials", "quarkus.lock.zookeeper.sasl.login-context");
    }

    @Test
    void tlsRegistryAndCredentialsProviderAreUsed() throws Exception {
        String token = acquire(registered, "registered");
        try (CuratorFramework stranger = CuratorFrameworkFactory.newClient(server.connectString(), new RetryOneTime(100))) {
            stranger.start();
            assertThatThrownBy(() -> stranger.getChildren().forPath("/registered/it/registered"))
                    .isInstanceOf(NoAuthException.class);
            stranger.getZookeeperClient().getZooKeeper().addAuthInfo("digest", "shop:open-sesame".getBytes(UTF_8));
            assertThat(stranger.getChildren().forPath("/registered/it/registered")).hasSize(1);
        }
        release(registered, "registered", token);
    }

    private static String acquire(Node node, String name) throws Exception {
        return token(send(node, "POST", "/locks/" + name));
    }

    private static String token(HttpResponse<String> granted) {
        assertThat(granted.statusCode()).as(granted.body()).isEqualTo(200);
        return JsonPath.from(granted.body()).getString("fencingToken");
    }

    private static void release(Node node, String name, String token) throws Exception {
        assertThat(send(node, "DELETE", "/locks/" + name + "/" + token).statusCode()).isEqualTo(204);
    }

    private static HttpResponse<String> send(Node node, String method, String path) throws Exception {
        return node.call(method, path).get(60, TimeUnit.SECONDS);
    }
}
