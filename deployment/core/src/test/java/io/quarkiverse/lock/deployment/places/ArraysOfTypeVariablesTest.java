package io.quarkiverse.lock.deployment.places;

import static io.quarkiverse.lock.deployment.BuildProblems.put;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.test.QuarkusUnitTest;

/** A method with an array of a type variable is overridden by one with an array of the actual type. */
class ArraysOfTypeVariablesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Several.class, SeveralTexts.class, LockedTexts.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Several.class, "take", put(SeveralTexts.class, "take", "overrides"));
                problems.has(Several.class, "grid", put(SeveralTexts.class, "grid", "overrides"));
                problems.nothingOf(LockedTexts.class);
            });

    @Test
    void fault166_arraysOverrideArraysOfTypeVariables() {
        Assertions.fail();
    }

    public abstract static class Several<T> {

        @Locked
        @SuppressWarnings("unchecked")
        void take(T... what) {
        }

        @Locked
        void grid(T[][] what, int[] where) {
        }
    }

    @ApplicationScoped
    public static class SeveralTexts extends Several<String> {

        @Override
        void take(String... what) {
        }

        @Override
        void grid(String[][] what, int[] where) {
        }
    }

    @ApplicationScoped
    public static class LockedTexts extends Several<String> {

        @Override
        @Locked
        void take(String... what) {
        }

        @Override
        @Locked
        void grid(String[][] what, int[] where) {
        }
    }
}
