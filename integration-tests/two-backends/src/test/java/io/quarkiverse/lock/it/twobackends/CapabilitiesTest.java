package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.redis.RedisLockBackend;
import io.quarkiverse.lock.spi.Feature;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;

/** The guide's table of backend features matches what the backends report. {@code -Dlock.docs.write=true} regenerates it. */
class CapabilitiesTest {

    private static final Path TABLE = Path.of("..", "..", "docs", "modules", "ROOT", "pages", "includes", "capabilities.adoc");

    @Test
    void guideTableMatchesBackendFeatures() throws IOException {
        String table = table();
        if (Boolean.getBoolean("lock.docs.write")) {
            Files.writeString(TABLE, table);
        }
        assertThat(Files.readString(TABLE)).as(TABLE + " does not match the backends' features(); regenerate it with "
                + "-Dlock.docs.write=true").isEqualTo(table);
    }

    private static Map<String, Set<Feature>> backends() {
        Map<String, Set<Feature>> backends = new LinkedHashMap<>();
        backends.put("local", LocalBackend.FEATURES);
        backends.put("Redis", RedisLockBackend.FEATURES);
        backends.put("ZooKeeper, `nodes=read-write`", LockNodes.READ_WRITE.features());
        backends.put("ZooKeeper, `nodes=mutex`", LockNodes.MUTEX.features());
        backends.put("JPA, `strategy=lease`", JpaLockBackend.FEATURES);
        return backends;
    }

    private static String words(Feature feature) {
        return switch (feature) {
            case SHARED -> "xref:modes.adoc[`SHARED`], `asReadWriteLock()`";
            case LIMIT -> "xref:modes.adoc#limit[`limit`]";
            case ASYNC -> "Methods that return a `Uni`, `Multi` or `CompletionStage`, and the `Async` twins";
            case LEASE -> "A lease of its own for each lock";
            case HOLD_AT_LEAST -> "xref:locked.adoc#hold-at-least[`holdAtLeast`]";
            case AFTER_LOSS_DELAY -> "xref:losing.adoc#after-loss-delay[`quarkus.lock.after-loss-delay`]";
            case REQUEST_RELEASE -> "xref:manager.adoc#request-release[`requestRelease`]";
            case DOWNGRADE -> "xref:manager.adoc#changing[`downgrade`]";
            case LIST -> "xref:manager.adoc#list[`list`]";
        };
    }

    private static String table() {
        Map<String, Set<Feature>> backends = backends();
        StringBuilder table = new StringBuilder("// Made by CapabilitiesTest of integration-tests/two-backends, do not edit\n");
        table.append("[cols=\"3").append(",1".repeat(backends.size())).append("\"]\n|===\n|");
        backends.keySet().forEach(name -> table.append(" |").append(name));
        table.append("\n\n");
        Map<Feature, String> rows = new EnumMap<>(Feature.class);
        for (Feature feature : Feature.values()) {
            rows.put(feature, words(feature));
        }
        rows.forEach((feature, words) -> {
            table.append('|').append(words);
            backends.values().forEach(features -> table.append(features.contains(feature) ? " |yes" : " |no"));
            table.append('\n');
        });
        return table.append("|===\n").toString();
    }
}
