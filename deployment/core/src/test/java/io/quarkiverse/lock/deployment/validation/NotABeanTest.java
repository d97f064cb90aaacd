package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;

/** An annotation that locks nothing does not go unnoticed. */
class NotABeanTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Plain.class, Parent.class, Bean.class, Unused.class, WholeClass.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records).extracting(record -> record.getParameters()[0])
                    .containsExactly(Plain.class.getName() + ".pay", WholeClass.class.getName()));

    @Inject
    Bean bean;

    @Test
    void starts() {
        bean.inherited();
    }

    public static class Plain {

        @Locked
        void pay() {
        }

        @Locked
        static void fine() {
        }
    }

    @Locked
    public static class WholeClass {

        void pay() {
        }
    }

    public static class Parent {

        @Locked
        void inherited() {
        }
    }

    @ApplicationScoped
    public static class Bean extends Parent {
    }

    @ApplicationScoped
    public static class Unused {

        @Locked
        void unused() {
        }
    }
}
