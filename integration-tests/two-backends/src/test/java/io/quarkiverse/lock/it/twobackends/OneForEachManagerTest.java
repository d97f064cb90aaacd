package io.quarkiverse.lock.it.twobackends;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.CurrentLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockManagerName;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Each manager has the backend it is configured with; a hold on one backend does not affect the other. */
class OneForEachManagerTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Counter.class, RedisForTest.class))
            .setBeforeAllCustomizer(RedisForTest::start)
            .setAfterAllCustomizer(RedisForTest::stop)
            .overrideConfigKey("quarkus.lock.backend", "redis")
            .overrideConfigKey("quarkus.lock.managers.here.backend", "local")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "redis://127.0.0.1:${" + RedisForTest.PORT + "}");

    @Inject
    LockManager everywhere;

    @Inject
    @LockManagerName("here")
    LockManager here;

    @Inject
    CurrentLock current;

    @Test
    void managersUseTheirOwnBackends() {
        try (var local = here.lock("door").acquire();
                var shared = everywhere.lock("door").tryAcquire(Duration.ZERO).orElseThrow()) {
            assertThat(here.lock("door").tryAcquire(Duration.ZERO)).isEmpty();
            assertThat(local.isValid()).isTrue();
            assertThat(shared.isValid()).isTrue();
        }
    }

    /** A resource compares the tokens of one backend: among those of another one it would refuse everything for good. */
    @Fault(484)
    @Test
    void fault484_sameNameOnTwoBackendsMakesTokensAmbiguous() {
        here.lock("door").run(() -> everywhere.lock("window").run(() -> {
            assertThat(current.fencingTokens()).containsOnlyKeys("door", "window");
            everywhere.lock("door").run(() -> ambiguous(() -> current.fencingTokens()));
        }));
    }

    @Fault(484)
    @Test
    void fault484_sameNameOnTwoBackendsIsAmbiguousInPipelines() {
        here.lock("door").callAsync(() -> everywhere.lock("window").callAsync(() -> current.fencingTokensAsync()
                .invoke(tokens -> assertThat(tokens).containsOnlyKeys("door", "window"))
                .chain(() -> everywhere.lock("door").callAsync(() -> Uni.createFrom().voidItem()
                        .chain(() -> fails(current.fencingTokensAsync()))
                        .chain(() -> fails(current.fencingTokenAsync("door")))
                        .chain(() -> current.fencingTokenAsync("window"))))))
                .await().atMost(Duration.ofSeconds(30));
    }

    private static Uni<Void> fails(Uni<?> tokens) {
        return tokens.onItemOrFailure().transformToUni((token, failure) -> {
            ambiguous(() -> {
                if (failure != null) {
                    throw failure;
                }
            });
            return Uni.createFrom().voidItem();
        });
    }

    private static void ambiguous(ThrowingCallable tokens) {
        assertThatThrownBy(tokens).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Locks of several backends are held here").hasMessageContaining("'door'")
                .hasMessageContaining("LockHandle.fencingToken()");
    }
}
