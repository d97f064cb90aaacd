package io.quarkiverse.lock.it.zookeeper;

import static io.quarkiverse.lock.it.Calls.awaitHeld;
import static io.quarkiverse.lock.it.Calls.postInBackground;
import static io.quarkiverse.lock.it.Calls.result;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.ServerAddress;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** The server ends the session, and with it all locks of the application. */
@QuarkusTest
@QuarkusTestResource(ZooKeeperResource.class)
class SessionLossTest {

    @ServerAddress
    String server;

    @Test
    void sessionLossFailsRunningCall() throws Exception {
        CompletableFuture<Response> call = postInBackground("/work/session/uni");
        awaitHeld("work-session");
        endSession();

        Response lost = result(call);
        assertThat(lost.statusCode()).as(lost.asString()).isEqualTo(409);
        assertThat(lost.asString()).contains("work-session");
    }

    @Test
    void locksWorkAfterSessionLoss() throws Exception {
        long token = acquire();
        endSession();
        long next = acquire();
        assertThat(next).isGreaterThan(token);
        assertThat(given().delete("/locks/again/{token}", next).statusCode()).isEqualTo(204);
    }

    private static long acquire() {
        Response response = given().post("/locks/again");
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        return response.jsonPath().getLong("fencingToken");
    }

    /** Opens a second client of the same session and closes it, which ends the session. */
    private void endSession() throws Exception {
        var session = given().get("/session").jsonPath();
        var connected = new CountDownLatch(1);
        try (var twin = new ZooKeeper(server, session.getInt("timeoutMillis"), event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        }, Long.parseUnsignedLong(session.getString("id"), 16), HexFormat.of().parseHex(session.getString("password")))) {
            assertThat(connected.await(15, TimeUnit.SECONDS)).isTrue();
        }
    }
}
