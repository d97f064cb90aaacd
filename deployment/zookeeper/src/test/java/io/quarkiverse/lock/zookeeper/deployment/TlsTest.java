package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockManager;
import io.quarkus.test.QuarkusUnitTest;

/** The client uses TLS and the configured trust store. */
class TlsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(SecureServer::start)
            .setAfterAllCustomizer(SecureServer::stop)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + SecureServer.ADDRESS + "}")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls.enabled", "true")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls.trust-store", "${" + SecureServer.TRUST_STORE + "}")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.tls.trust-store-password", SecureServer.PASSWORD)
            .withApplicationRoot(jar -> jar.addClasses(SecureServer.class));

    @Inject
    LockManager locks;

    @Test
    void locksWorkOverTls() {
        try (var hold = locks.lock("stock-7").acquire()) {
            assertThat(hold.isValid()).isTrue();
        }
    }
}
