package io.quarkiverse.lock.it.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkus.test.QuarkusDevModeTest;

/** As {@link DevUITest}, with locks in ZooKeeper. */
class DevUIOnZooKeeperTest {

    private static final ZooKeeperServer ZOO_KEEPER = ZooKeeperServer.start();
    private static final DevApplication APPLICATION = DevApplication.onZooKeeper(ZOO_KEEPER.connectString());

    @RegisterExtension
    static final QuarkusDevModeTest DEV_MODE = APPLICATION.start();

    @AfterAll
    static void stop() {
        ZOO_KEEPER.close();
    }

    @Test
    void devUIShowsAndControlsLocks() throws Exception {
        try (JsonRpc jsonRpc = APPLICATION.jsonRpc()) {
            JsonNode managers = jsonRpc.call(LocksShown.OURS + "managers", Map.of());
            assertThat(LocksShown.find(managers, "name", LocksShown.DEFAULT).get("backend").asText()).isEqualTo("zookeeper");
            JsonNode settings = LocksShown.find(managers, "name", LocksShown.DEFAULT).get("settings");
            assertThat(LocksShown.find(settings, "key", "lease").get("value").asText()).startsWith("at most ");
            new LocksShown(APPLICATION, jsonRpc).showWhatHappensAndMakeItHappen();
        }
    }
}
