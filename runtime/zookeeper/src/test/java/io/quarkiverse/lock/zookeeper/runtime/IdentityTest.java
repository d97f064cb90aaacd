package io.quarkiverse.lock.zookeeper.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;
import io.quarkus.runtime.configuration.ConfigurationException;

/** The identity of the application when the configuration does not state it. */
class IdentityTest {

    private volatile String kept = "shop:first";
    private volatile boolean away;
    private volatile CountDownLatch hangs = new CountDownLatch(0);
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final CredentialsSource source = (name, bean) -> {
        asked.add(name + bean.map(it -> "@" + it).orElse(""));
        try {
            hangs.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (away) {
            throw new IllegalStateException("away");
        }
        return kept;
    };

    private Identity identity(String... properties) {
        return Identity.of(Configured.with(properties), () -> Optional.of(source));
    }

    private static String told(Identity identity) {
        var told = new StringBuilder();
        identity.tell((scheme, credentials) -> told.append(scheme).append(' ')
                .append(new String(credentials, StandardCharsets.UTF_8)));
        return told.toString();
    }

    @Test
    void credentialsAreRequestedForEachSession() {
        Identity identity = identity("credentials-provider", "locks", "credentials-provider-name", "vault");
        assertThat(told(identity)).isEqualTo("digest shop:first");
        kept = "shop:second";
        assertThat(told(identity)).isEqualTo("digest shop:second");
        assertThat(asked).containsExactly("locks@vault", "locks@vault");
    }

    @Test
    void failingProviderKeepsPreviousCredentials() {
        Identity identity = identity("credentials-provider", "locks");
        told(identity);
        away = true;
        try (LogLines lines = LogLines.warnings("io.quarkiverse.lock.zookeeper")) {
            assertThat(told(identity)).isEqualTo("digest shop:first");
            assertThat(lines.messages()).anyMatch(line -> line.contains("those of the previous session are used"));
        }
    }

    @Test
    void hangingProviderKeepsPreviousCredentials() {
        Identity identity = identity("credentials-provider", "locks");
        told(identity);
        hangs = new CountDownLatch(1);
        try (LogLines lines = LogLines.warnings("io.quarkiverse.lock.zookeeper")) {
            assertThat(assertTimeoutPreemptively(Duration.ofSeconds(10), () -> told(identity))).isEqualTo("digest shop:first");
            assertThat(lines.messages()).anyMatch(line -> line.contains("those of the previous session are used"));
        } finally {
            hangs.countDown();
        }
    }

    @Test
    @Fault(333)
    void fault333_listDoesNotWaitForAHangingProvider() {
        Identity identity = identity("credentials-provider", "locks");
        hangs = new CountDownLatch(1);
        try {
            assertTimeoutPreemptively(Duration.ofSeconds(10),
                    () -> assertThatThrownBy(() -> identity.tellSoon((scheme, credentials) -> {
                    })).hasMessageContaining("the credentials for ZooKeeper cannot be obtained"));
        } finally {
            hangs.countDown();
        }
    }

    @Test
    @Fault(547)
    void fault547_callersShareOneThreadAndItsLateAnswer() {
        Identity identity = identity("credentials-provider", "locks");
        told(identity);
        hangs = new CountDownLatch(1);
        kept = "shop:second";
        assertThat(told(identity)).isEqualTo("digest shop:first");
        assertThat(told(identity)).isEqualTo("digest shop:first");
        assertThat(asked).hasSize(2);
        hangs.countDown();
        awaitEndOfQuestions();
        away = true;
        assertThat(told(identity)).isEqualTo("digest shop:second");
    }

    @Test
    @Fault(547)
    void fault547_silentProviderIsAskedAgain() {
        Identity identity = Identity.of(Configured.with("credentials-provider", "locks"), () -> Optional.of(source),
                Duration.ofMillis(20));
        told(identity);
        hangs = new CountDownLatch(1);
        told(identity);
        hangs = new CountDownLatch(0); // the first thread still waits for the previous latch
        kept = "shop:second";
        Await.until("the answer to another question", Duration.ofMinutes(1), () -> told(identity).equals("digest shop:second"));
        awaitEndOfQuestions();
    }

    private static void awaitEndOfQuestions() {
        Await.until("the end of all questions", Duration.ofMinutes(1), () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("quarkus-lock-zookeeper-credentials")));
    }

    @Test
    void credentialsMustBeKnownAtStartup() {
        away = true;
        ZooKeeperLockConfig config = Configured.with("credentials-provider", "locks");
        assertThatThrownBy(
                () -> ConfiguredClient.of(config, Identity.of(config, () -> Optional.of(source)), OtherExtensions.NONE))
                .hasMessage("away");
    }

    @Test
    void credentialsAreEitherConfiguredOrProvided() {
        assertThatThrownBy(() -> identity("credentials-provider", "locks", "auth.username", "shop", "auth.password", "secret"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageStartingWith("quarkus.lock.zookeeper.credentials-provider=locks, but quarkus.lock.zookeeper.auth");
        assertThat(told(identity("auth.username", "shop", "auth.password", "secret"))).isEqualTo("digest shop:secret");
        assertThat(told(identity())).isEmpty();
        assertThat(asked).isEmpty();
    }

    @Test
    void providedCredentialsDefaultToCreatorAcl() {
        assertThat(Acls.of(Configured.with("credentials-provider", "locks"), false))
                .isEqualTo(Ids.CREATOR_ALL_ACL);
    }
}
