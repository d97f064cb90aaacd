package io.quarkiverse.lock.zookeeper.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.zookeeper.runtime.CredentialsSource;
import io.quarkus.test.QuarkusUnitTest;

/** The credentials store no longer answers: lists use the credentials with which the locks were made. */
class SilentCredentialsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setBeforeAllCustomizer(Server::start)
            .setAfterAllCustomizer(Server::stop)
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.connect-string", "${" + Server.ADDRESS + "}")
            .overrideRuntimeConfigKey("quarkus.lock.zookeeper.credentials-provider", "locks")
            .withApplicationRoot(jar -> jar.addClasses(Keeper.class, Server.class, Server.Look.class));

    @Inject
    LockManager locks;

    @Inject
    Keeper keeper;

    @Test
    @Fault(333)
    void fault333_listEndsDespiteSilentCredentials() {
        try (LockHandle hold = locks.lock("stock-7").acquire()) {
            keeper.answers = new CountDownLatch(1);
            LockQuery.Page page = locks.listAsync(LockQuery.ALL).await().atMost(Duration.ofSeconds(20));
            assertThat(page.locks()).singleElement().satisfies(it -> assertThat(it.name()).isEqualTo(hold.name()));
        }
    }

    @Test
    @Fault(547)
    void fault547_listsShareOneCredentialsThread() {
        keeper.answers = new CountDownLatch(1);
        for (int i = 0; i < 5; i++) {
            locks.listAsync(LockQuery.ALL).await().atMost(Duration.ofSeconds(20));
        }
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
                .containsOnlyOnce("quarkus-lock-zookeeper-credentials");
    }

    @AfterEach
    void answers() {
        keeper.answers.countDown();
    }

    @Singleton
    public static class Keeper implements CredentialsSource {

        volatile CountDownLatch answers = new CountDownLatch(0);

        @Override
        public String digest(String name, Optional<String> bean) {
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return "shop:secret";
        }
    }
}
