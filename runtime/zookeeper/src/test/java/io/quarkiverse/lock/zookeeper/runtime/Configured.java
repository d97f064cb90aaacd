package io.quarkiverse.lock.zookeeper.runtime;

import org.apache.curator.framework.CuratorFramework;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

/** The configuration as Quarkus would read it. */
final class Configured {

    private Configured() {
    }

    /** Without other extensions. */
    static CuratorFramework client(ZooKeeperLockConfig config) {
        return ConfiguredClient.of(config, Identity.of(config, OtherExtensions.NONE.credentials()), OtherExtensions.NONE);
    }

    /** @param properties name without the prefix, value, name, value ... */
    static ZooKeeperLockConfig with(String... properties) {
        var all = new java.util.HashMap<String, String>();
        all.put(Property.PREFIX + "connect-string", "127.0.0.1:2181");
        for (int i = 0; i < properties.length; i += 2) {
            all.put(Property.PREFIX + properties[i], properties[i + 1]);
        }
        return new SmallRyeConfigBuilder().addDiscoveredConverters().withMapping(ZooKeeperLockConfig.class)
                .withSources(new PropertiesConfigSource(all, "test", 100))
                .build().getConfigMapping(ZooKeeperLockConfig.class);
    }
}
