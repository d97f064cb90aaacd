package io.quarkiverse.lock.it.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.it.NativeSources;
import io.quarkiverse.lock.it.NativeSourcesChecks;
import io.quarkiverse.lock.it.Order;
import io.quarkiverse.lock.zookeeper.ZooKeeperLockBackend;
import io.quarkiverse.lock.zookeeper.runtime.ZooKeeperLockBackendProvider;

class NativeSourcesCheck extends NativeSourcesChecks {

    @Override
    protected Class<?> backend() {
        return ZooKeeperLockBackend.class;
    }

    @Override
    protected List<String> reflective() {
        return List.of(ZooKeeperLockBackendProvider.class.getName(), LockInfo.class.getName(),
                "io.quarkiverse.lock.zookeeper.runtime.ZooKeeperLockConfig$$CMImpl",
                "org.apache.zookeeper.ClientCnxnSocketNIO",
                "org.apache.zookeeper.ClientCnxnSocketNetty",
                "org.apache.zookeeper.client.ZKClientConfig");
    }

    @Override
    protected List<String> compiled() {
        return List.of(Order.class.getName(), Order.Customer.class.getName());
    }

    @Test
    void zooKeeperClientIsInitializedAtRunTime() throws IOException {
        assertThat(NativeSources.feature()).contains("org.apache.zookeeper.Login", "org.apache.zookeeper.common.X509Util",
                "org.apache.curator.framework.CuratorFrameworkFactory");
    }

    @Test
    void saslClassesAndBundlesAreRegistered() throws IOException {
        assertThat(NativeSources.arguments()).contains("com.sun.security.sasl.Provider");
        assertThat(NativeSources.reflective()).containsAll(Logins.classes());
        assertThat(NativeSources.bundles()).contains("sun.security.util.resources.security",
                "sun.security.util.resources.auth");
    }
}
