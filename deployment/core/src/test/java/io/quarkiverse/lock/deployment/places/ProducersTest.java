package io.quarkiverse.lock.deployment.places;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Named;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.InterceptionProxy;
import io.quarkus.test.QuarkusUnitTest;

/** A class whose methods are locked in one of its beans, but not in the instances that producers make. */
class ProducersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Account.class, Bean.class, Child.class, Producers.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records).extracting(record -> record.getParameters()[0])
                    .containsExactly(Producers.class.getName() + ".FIELD, which produces a " + name(Account.class),
                            Producers.class.getName() + ".child, which produces a " + name(Account.class),
                            Producers.class.getName() + ".plain, which produces a " + name(Account.class)));

    @Inject
    Bean bean;

    @Test
    void fault131_producedObjectsCauseWarnings() {
        assertThat(bean.pay()).isEqualTo("paid");
    }

    private static String name(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1);
    }

    public static class Account {

        @Locked("account")
        String pay() {
            return "paid";
        }
    }

    @ApplicationScoped
    public static class Bean extends Account {
    }

    /** Does not repeat the annotation. */
    public static class Child extends Account {
    }

    public static class Producers {

        @Produces
        @Named("field")
        static final Account FIELD = new Account();

        @Produces
        @Named("plain")
        Account plain() {
            return new Account();
        }

        @Produces
        @Named("child")
        Child child() {
            return new Child();
        }

        @Produces
        @Named("proxied")
        Account proxied(InterceptionProxy<Account> proxy) {
            return proxy.create(new Account());
        }

        @Produces
        @Named("text")
        String text() {
            return "nothing to lock";
        }
    }
}
