package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.Callable;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnLost;
import io.quarkus.test.QuarkusUnitTest;

/** A method nested in another under the same lock learns of the loss, according to the outer method's options. */
class NestedLossTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Outer.class, Inner.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    Outer outer;

    @Inject
    Inner inner;

    @Test
    void fault121_nestedMethodFailsOnReturnAfterLoss() {
        var failures = new Throwable[1];
        assertThatThrownBy(() -> outer.call(() -> {
            failures[0] = catchThrowable(inner::loses);
            return "result";
        })).isInstanceOf(LockLostException.class).isNotSameAs(failures[0]);
        assertThat(failures[0]).isInstanceOf(LockLostException.class);
    }

    @Test
    void fault121_nestedMethodUnderSeveralLocksFailsOnReturn() {
        var failures = new Throwable[1];
        assertThatThrownBy(() -> outer.call(() -> {
            failures[0] = catchThrowable(inner::losesOneOfTwo);
            return "result";
        })).isInstanceOf(LockLostException.class);
        assertThat(failures[0]).isInstanceOf(LockLostException.class);
    }

    @Test
    void fault121_outerMethodsOptionsWin() throws Exception {
        assertThat(outer.goesOn(inner::loses)).isEqualTo("result");
    }

    @ApplicationScoped
    public static class Outer {

        @Locked("a")
        String call(Callable<String> body) throws Exception {
            return body.call();
        }

        @Locked(value = "a", onLost = OnLost.NOTIFY)
        String goesOn(Callable<String> body) throws Exception {
            return body.call();
        }
    }

    @ApplicationScoped
    public static class Inner {

        @Inject
        LockManager locks;

        @Locked(value = "a", onLost = OnLost.FAIL)
        String loses() {
            locks.forceRelease("a");
            return "result";
        }

        @Locked({ "a", "b" })
        String losesOneOfTwo() {
            locks.forceRelease("a");
            return "result";
        }
    }
}
