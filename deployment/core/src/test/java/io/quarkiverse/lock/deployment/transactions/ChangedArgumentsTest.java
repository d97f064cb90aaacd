package io.quarkiverse.lock.deployment.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkus.test.QuarkusUnitTest;

/** An interceptor between the lock and the transaction changes the arguments of which the name was made. */
class ChangedArgumentsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Renamed.class, Renaming.class, Watched.class,
                    Watched.End.class, Watched.Sync.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Orders orders;

    @Inject
    LockManager locks;

    private Watched watched;

    private String writeAndLose() {
        watched = Watched.transaction("order-7");
        assertThat(locks.forceRelease("order-7")).as("the lock of the caller's argument").isTrue();
        return "written";
    }

    @Test
    void fault511_lossInBodyRollsBack() throws Exception {
        assertThatThrownBy(() -> orders.pay("7", this::writeAndLose)).isInstanceOf(LockLostException.class);
        assertThat(watched.end().committed()).isFalse();
        assertThatThrownBy(() -> orders.payTwo("7", this::writeAndLose)).isInstanceOf(LockLostException.class);
        assertThat(watched.end().committed()).isFalse();
    }

    @Test
    void fault511_lossDuringCommitRollsBack() throws Exception {
        assertThatThrownBy(() -> orders.pay("7", () -> {
            watched = Watched.transaction("order-7");
            Watched.beforeTheCommit(() -> locks.forceRelease("order-7"));
            return "written";
        })).isInstanceOf(LockLostException.class);
        assertThat(watched.end().committed()).isFalse();
    }

    @Test
    void fault511_lostStageFailsAtOnceAndRollsBack() throws Exception {
        CompletionStage<String> stage = orders.payLater("7", () -> {
            writeAndLose();
            return new CompletableFuture<>();
        });
        assertThat(stage).failsWithin(20, TimeUnit.SECONDS).withThrowableThat()
                .withRootCauseInstanceOf(LockLostException.class);
        assertThat(watched.end().committed()).isFalse();
    }

    @Test
    void fault511_interruptIsClearedBeforeTransactionEnds() throws Exception {
        AtomicBoolean interrupted = new AtomicBoolean();
        assertThatThrownBy(() -> orders.stopAtOnce("7", () -> {
            watched = Watched.transaction("order-7");
            Watched.atTheEnd(status -> interrupted.set(Thread.currentThread().isInterrupted()));
            writeAndLose();
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            return "written";
        })).isInstanceOf(LockLostException.class);
        assertThat(interrupted).isFalse();
        assertThat(watched.end().committed()).isFalse();
    }

    @ApplicationScoped
    public static class Orders {

        @Locked("order-{id}")
        @Transactional
        @Renamed
        String pay(String id, Callable<String> body) throws Exception {
            return id + body.call();
        }

        @Locked({ "order-{id}", "stock" })
        @Transactional
        @Renamed
        String payTwo(String id, Callable<String> body) throws Exception {
            return id + body.call();
        }

        @Locked(value = "order-{id}", onLost = OnLost.INTERRUPT)
        @Transactional
        @Renamed
        String stopAtOnce(String id, Callable<String> body) throws Exception {
            return id + body.call();
        }

        @Locked("order-{id}")
        @Transactional
        @Renamed
        CompletionStage<String> payLater(String id, Callable<CompletionStage<String>> body) throws Exception {
            return body.call();
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Renamed {
    }

    @Renamed
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 225)
    public static class Renaming {

        @AroundInvoke
        Object rename(InvocationContext invocation) throws Exception {
            Object[] arguments = invocation.getParameters();
            arguments[0] = "renamed-" + arguments[0];
            invocation.setParameters(arguments);
            return invocation.proceed();
        }
    }
}
