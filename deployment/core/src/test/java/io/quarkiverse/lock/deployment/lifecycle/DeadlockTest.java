package io.quarkiverse.lock.deployment.lifecycle;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockDeadlockException;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** Of two methods that wait for each other, one fails and the other gets its lock, both long before their wait is over. */
class DeadlockTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Accounts.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideRuntimeConfigKey("quarkus.lock.wait", "1h");

    @Inject
    Accounts accounts;

    @Test
    void oneCallerFailsWithDeadlock() throws Exception {
        CyclicBarrier bothHaveOne = new CyclicBarrier(2);
        CompletableFuture<String> one = CompletableFuture.supplyAsync(() -> accounts.nested("alice", "bob", bothHaveOne),
                task -> new Thread(task).start()).exceptionally(DeadlockTest::why);
        CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> accounts.nested("bob", "alice", bothHaveOne),
                task -> new Thread(task).start()).exceptionally(DeadlockTest::why);
        assertThat(new String[] { one.get(10, MINUTES), other.get(10, MINUTES) })
                .containsExactlyInAnyOrder("done", "deadlock");
    }

    private static String why(Throwable failure) {
        return failure.getCause() instanceof LockDeadlockException ? "deadlock" : failure.toString();
    }

    @ApplicationScoped
    public static class Accounts {

        @Inject
        Accounts self;

        @Locked("account-{outer}")
        String nested(String outer, String inner, CyclicBarrier bothHaveOne) {
            try {
                bothHaveOne.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
            return self.inside(inner);
        }

        @Locked("account-{inner}")
        String inside(String inner) {
            return "done";
        }
    }
}
