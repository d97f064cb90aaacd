package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** An application that authenticates with a certificate can keep its lock nodes to itself. */
class CertificateTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(SecureServer::start)
            .setAfterAllCustomizer(SecureServer::stop)
            .overrideRuntimeConfigKey("quarkus.lock.namespace", "shop")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + SecureServer.ADDRESS + "}")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls.enabled", "true")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls.trust-store", "${" + SecureServer.TRUST_STORE + "}")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls.trust-store-password", SecureServer.PASSWORD)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls.key-store", "${" + SecureServer.KEY_STORE + "}")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls.key-store-password", SecureServer.PASSWORD)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.acl", "creator")
            .withApplicationRoot(jar -> jar.addClasses(SecureServer.class));

    @Inject
    LockManager locks;

    @Inject
    CuratorFramework client;

    @Test
    void nodesBelongToCertificateSubject() throws Exception {
        try (var hold = locks.lock("stock-7").acquire()) {
            assertThat(hold.isValid()).isTrue();
            assertThat(client.getACL().forPath("/shop/stock-7")).singleElement()
                    .satisfies(each -> assertThat(each.getId().toString()).contains("x509").contains("CN=localhost"));
        }
    }
}
