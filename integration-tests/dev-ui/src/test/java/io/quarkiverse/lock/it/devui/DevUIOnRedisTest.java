package io.quarkiverse.lock.it.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import com.fasterxml.jackson.databind.JsonNode;

import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.quarkus.test.QuarkusDevModeTest;

/** As {@link DevUITest}, with locks in a Redis that other applications share. */
class DevUIOnRedisTest {

    private static final RedisServer REDIS = RedisServer.start();
    private static final DevApplication APPLICATION = DevApplication.onRedis(REDIS.url());

    @RegisterExtension
    static final QuarkusDevModeTest DEV_MODE = APPLICATION.start();

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @Test
    void devUIShowsAndControlsLocks() throws Exception {
        try (JsonRpc jsonRpc = APPLICATION.jsonRpc()) {
            JsonNode managers = jsonRpc.call(LocksShown.OURS + "managers", Map.of());
            assertThat(LocksShown.find(managers, "name", LocksShown.DEFAULT).get("backend").asText()).isEqualTo("redis");
            new LocksShown(APPLICATION, jsonRpc).showWhatHappensAndMakeItHappen();
            assertThat(keys()).as("the lock shown was in Redis").contains("{orders:a}");
            liveReloadFreesWhatWasMadeBusy(jsonRpc);
        }
    }

    private void liveReloadFreesWhatWasMadeBusy(JsonRpc jsonRpc) throws Exception {
        jsonRpc.call(LocksShown.OURS + "occupy", Map.of("manager", LocksShown.DEFAULT, "name", "order-10", "seconds", 600));
        assertThat(APPLICATION.get("/pay/10")).isEqualTo("busy");
        DEV_MODE.modifySourceFile(Orders.class, source -> source.replace("return \"paid\"", "return \"paid anew\""));
        assertThat(APPLICATION.get("/pay/10")).isEqualTo("paid anew");
    }

    private static String keys() {
        try (TinyRedis redis = REDIS.connect()) {
            return String.join(" ", redis.list("KEYS", "*"));
        }
    }
}
