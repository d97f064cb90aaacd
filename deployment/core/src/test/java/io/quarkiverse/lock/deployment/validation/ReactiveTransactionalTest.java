package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.Unremovable;
import io.quarkus.reactive.transaction.TransactionalInterceptorBase;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A Quarkus version where {@code @Transactional} on a {@code Uni} means a transaction of Hibernate Reactive. */
class ReactiveTransactionalTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Accounts.class, Ledger.class, TransactionalInterceptorBase.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                new BuildProblems(failure).has(Accounts.class, "pay", "@Locked with @Transactional", "@WithTransaction");
                new BuildProblems(failure).has(Ledger.class, "book", "@Locked with @Transactional", "@WithTransaction");
                assertThat(failure.getMessage()).doesNotContain("method=close", "method=later", "method=untouched");
            });

    @Test
    void fault348_lockedReactiveTransactionalDoesNotBuild() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    static class Accounts {

        @Locked("a")
        @Transactional
        Uni<Void> pay() {
            return Uni.createFrom().voidItem();
        }

        @Locked("a")
        @Transactional
        void close() {
        }

        @Locked("a")
        @Transactional
        CompletionStage<Void> later() {
            return CompletableFuture.completedFuture(null);
        }

        @Locked("a")
        Uni<Void> untouched() {
            return Uni.createFrom().voidItem();
        }
    }

    @ApplicationScoped
    @Unremovable
    @Transactional
    static class Ledger {

        @Locked("a")
        Uni<Void> book() {
            return Uni.createFrom().voidItem();
        }
    }
}
