package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;

/** An id stands for one template, and must be one that environment variables can spell. */
class LockIdErrorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Whole.class, First.class, Second.class, Parent.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                for (String bad : new String[] { "Pay", "pay-all", "2pay", "pay_all", "p\u00e4y", "${id}" }) {
                    assertThat(failure).hasMessageContaining("@Locked(id = \"" + bad + "\"): must be a lower-case letter");
                }
                assertThat(failure)
                        .hasMessageContaining("method=stockTwice] @Locked(id = \"stock\") is also the id of "
                                + Orders.class.getName() + ".stock")
                        .hasMessageContaining("method=audit] @Locked(id = \"nightly\") is also the template of "
                                + Orders.class.getName() + ".nightly");
                assertThat(failure.getMessage()).doesNotContain("\"both\"").doesNotContain("\"whole\"")
                        .doesNotContain("\"inherited\"").doesNotContain("\"itself\"");
            });

    @Test
    void fault128_badAndDuplicateIdsDoNotBuild() {
        Assertions.fail();
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders {

        @Locked(id = "Pay")
        void upperCase() {
        }

        @Locked(id = "pay-all")
        void dash() {
        }

        @Locked(id = "2pay")
        void digit() {
        }

        @Locked(id = "pay_all")
        void underscore() {
        }

        @Locked(id = "p\u00e4y")
        void umlaut() {
        }

        @Locked(id = "${id}")
        void expression() {
        }

        @Locked(value = "stock-{item}", id = "stock")
        void stock(int item) {
        }

        @Locked(value = "stock-{item}-again", id = "stock")
        void stockTwice(int item) {
        }

        @Locked("nightly")
        void nightly() {
        }

        @Locked(value = "audit", id = "nightly")
        void audit() {
        }

        @Locked(value = "both-{item}", id = "both")
        void one(int item) {
        }

        @Locked(value = "both-{item}", id = "both")
        void other(int item) {
        }

        @Locked(value = "itself", id = "itself")
        void itself() {
        }
    }

    @ApplicationScoped
    @Unremovable
    @Locked(id = "whole")
    public static class Whole {

        void one() {
        }

        void other() {
        }
    }

    public static class Parent {

        @Locked(id = "inherited")
        void run() {
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class First extends Parent {
    }

    @ApplicationScoped
    @Unremovable
    public static class Second extends Parent {
    }
}
