package io.quarkiverse.lock.zookeeper.runtime;

import java.time.Duration;
import java.util.function.Supplier;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.utils.PathUtils;
import org.apache.curator.utils.ZKPaths;
import org.jboss.logging.Logger;

import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;
import io.quarkiverse.lock.zookeeper.query.Listing;
import io.smallrye.common.annotation.Identifier;

/** Makes the ZooKeeper backend on the application's client, or on one made from the configuration. */
@Singleton
public class ZooKeeperLockBackendProvider implements LockBackendProvider {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");

    private final ZooKeeperLockConfig config;
    private final ZooKeeperLockBuildConfig buildConfig;
    private final LockRuntimeConfig common;
    private final Instance<CuratorFramework> clients;
    private final ZooKeeperClientProducer producer;
    private Supplier<String> place = () -> "";

    ZooKeeperLockBackendProvider(ZooKeeperLockConfig config, ZooKeeperLockBuildConfig buildConfig, LockRuntimeConfig common,
            @Any Instance<CuratorFramework> clients, ZooKeeperClientProducer producer) {
        this.producer = producer;
        this.config = config;
        this.common = common;
        this.buildConfig = buildConfig;
        this.clients = clients;
    }

    @Override
    public String name() {
        return "zookeeper";
    }

    @Override
    public LockBackend create(String namespace, String owner) {
        Instance.Handle<CuratorFramework> client = clients.select(buildConfig.clientName().isPresent()
                ? Identifier.Literal.of(buildConfig.clientName().get())
                : Default.Literal.INSTANCE).getHandle();
        boolean own = client.getBean().getBeanClass() != ZooKeeperClientProducer.class;
        var options = new ZooKeeperLockOptions(root(namespace), buildConfig.nodes(),
                config.operationTimeout(), config.tickTime(), config.syncLimit(),
                Acls.of(config, own || producer.hasCertificate()),
                common.afterLossDelay().orElse(Duration.ZERO), common.margin().orElse(null),
                own ? null : config.sessionTimeout());
        if (!own) {
            ConfiguredClient.checkSession(config.sessionTimeout(), options);
        }
        CuratorFramework curator = client.get();
        if (own) {
            check(curator);
        }
        Identity identity = producer.identity();
        // An application's client does not reveal its credentials, so lists use the configured ones, if there are any
        var backend = new ZooKeeperLockBackend(curator, options, owner, own ? () -> {
        } : curator::close, zk -> identity.tellSoon(zk::addAuthInfo), Listing.MOST_NAMES);
        producer.inUse();
        place = () -> place(curator, options); // asks an EnsembleProvider, perhaps the application's
        return backend;
    }

    @Override
    public String place() {
        return place.get();
    }

    /** The servers with their chroot, and the root in it. Neither has credentials. */
    static String place(CuratorFramework client, ZooKeeperLockOptions options) {
        return client.getZookeeperClient().getCurrentConnectionString() + ", path "
                + ZKPaths.fixForNamespace(client.getNamespace().isEmpty() ? null : client.getNamespace(), options.root());
    }

    private String root(String namespace) {
        String above = config.root();
        try {
            PathUtils.validatePath(above);
        } catch (IllegalArgumentException e) {
            throw Property.wrong("root", "=" + above + " is not a path, such as /locks: " + e.getMessage());
        }
        return (above.equals("/") ? "" : above) + ZooKeeperLockOptions.rootOf(namespace);
    }

    private void check(CuratorFramework client) {
        if (client.getState() != CuratorFrameworkState.STARTED) {
            throw new IllegalStateException("Locks use the application's CuratorFramework bean, which is "
                    + client.getState() + ": the method that produces it must call start()");
        }
        if (config.connectString().isPresent()) {
            LOG.warnf("%sconnect-string is not used: the application has a CuratorFramework bean of its own, and locks use it",
                    Property.PREFIX);
        }
    }
}
