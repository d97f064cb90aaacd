package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;

import org.junit.jupiter.api.Test;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** The configuration of the container; none is started here. */
class ZooKeeperContainerTest {

    private static ZooKeeperDevServicesConfig config(String... properties) {
        var all = new HashMap<String, String>();
        for (int i = 0; i < properties.length; i += 2) {
            all.put("quarkus.lock.zookeeper.devservices." + properties[i], properties[i + 1]);
        }
        return new SmallRyeConfigBuilder().addDiscoveredConverters().withMapping(ZooKeeperDevServicesConfig.class)
                .withSources(new PropertiesConfigSource(all, "test", 100))
                .build().getConfigMapping(ZooKeeperDevServicesConfig.class);
    }

    @Test
    void configuredImageIsUsed() {
        assertThat(ZooKeeperContainer.image(config())).isEqualTo(Containers.IMAGE);
        assertThat(ZooKeeperContainer.image(config("image-name", "registry.example/zookeeper:3.8")))
                .isEqualTo("registry.example/zookeeper:3.8");
    }
}
