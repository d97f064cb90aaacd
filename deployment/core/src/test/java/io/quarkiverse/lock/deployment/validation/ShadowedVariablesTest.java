package io.quarkiverse.lock.deployment.validation;

import static io.quarkiverse.lock.deployment.BuildProblems.has;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A method's own type variable is not its class's, even if both have the same name. */
class ShadowedVariablesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Base.class, Texts.class, Item.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                has(failure, "part", Item.class.getName() + " has no toString() of its own");
                has(failure, "overridden", Texts.class.getName() + ".overridden overrides");
                has(failure, "fallenBack", "the parameters must be (" + Item.class.getName());
                assertThat(failure.getMessage()).doesNotContain("method=right");
            });

    @Test
    void fault172_methodTypeVariableShadowsClassVariable() {
        Assertions.fail();
    }

    public static class Item {
    }

    public abstract static class Base<T> {

        @Locked("{it}")
        <T extends Item> void part(T it) {
        }

        @Locked
        <T extends Item> void overridden(T it) {
        }

        @Locked("{it}")
        <T extends Number> void rightNumber(T it) {
        }

        @Locked("{it}")
        void rightText(T it) {
        }

        @Locked
        <T extends Uni<String>> T rightUni(T it) {
            return it;
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "texts")
        <T extends Item> void fallenBack(T it) {
        }

        void texts(T it) {
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Texts extends Base<String> {

        @Override
        <T extends Item> void overridden(T it) {
        }
    }
}
