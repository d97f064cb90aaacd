package io.quarkiverse.lock.it.zookeeper;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.ServerAddress;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;

/** The application logs in with a name and a password; others cannot access its nodes. */
@QuarkusTest
@QuarkusTestResource(ZooKeeperResource.class)
class DigestAuthTest {

    private static final String PATH = "/it/secret";

    @ServerAddress
    String server;

    @Test
    void wrongCredentialsCannotAccessLocks() throws Exception {
        long token = given().post("/locks/secret").jsonPath().getLong("fencingToken");
        try (CuratorFramework stranger = client("it:wrong")) {
            assertThatThrownBy(() -> stranger.getChildren().forPath(PATH)).isInstanceOf(NoAuthException.class);
            assertThatThrownBy(() -> stranger.create().forPath(PATH + "/mine")).isInstanceOf(NoAuthException.class);
        }
        try (CuratorFramework same = client("it:s3cret")) {
            assertThat(same.getChildren().forPath(PATH)).hasSize(1);
        }
        assertThat(given().delete("/locks/secret/{token}", token).statusCode()).isEqualTo(204);
    }

    private CuratorFramework client(String identity) {
        CuratorFramework client = CuratorFrameworkFactory.builder().connectString(server).retryPolicy(new RetryOneTime(100))
                .authorization("digest", identity.getBytes(StandardCharsets.UTF_8)).build();
        client.start();
        return client;
    }
}
