package io.quarkiverse.lock.deployment.places;

import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Named;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.BindingsSource;
import io.quarkus.arc.InterceptionProxy;
import io.quarkus.test.QuarkusUnitTest;

/** What is behind an interception proxy is checked as a bean is. */
class InterceptionProxyErrorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Account.class, Contract.class, Implementation.class, Twice.class,
                    One.class, Other.class, Foreign.class, Unlike.class, Unlocked.class, Nothing.class, Producers.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.arc.remove-unused-beans", "false")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Account.class, "pay", "@Locked(\"{nobody}\")", "'nobody' is not a parameter of the method");
                problems.has(Account.class, "hidden", "private method");
                problems.has(Contract.class, "pay", "@Locked(\"{nothing}\")", "'nothing' is not a parameter of the method");
                problems.has(Twice.class, "pay", "more than once", "one", "other");
                problems.has(Unlike.class, "pay", "the class behind the proxy", "same name, return type and parameters");
                problems.hasClass(Nothing.class, "nothing behind it could be locked");
                problems.nothingOf(One.class, Other.class, Foreign.class);
            });

    @Test
    void fault306_whatIsBehindAProxyIsChecked() {
        Assertions.fail();
    }

    @Vetoed
    public static class Account {

        @Locked("{nobody}")
        void pay(String id) {
        }

        @Locked
        private void hidden() {
        }
    }

    public interface Contract {

        @Locked("{nothing}")
        void pay(String id);
    }

    @Vetoed
    public static class Implementation implements Contract {

        @Override
        public void pay(String id) {
        }
    }

    @Vetoed
    public static class Twice {

        void pay() {
        }
    }

    public abstract static class One {

        @Locked("one")
        abstract void pay();
    }

    public abstract static class Other {

        @Locked("other")
        abstract void pay();
    }

    @Vetoed
    public static class Foreign {

        void pay(String id) {
        }
    }

    public abstract static class Unlike {

        @Locked
        abstract void pay(int id);
    }

    @Locked
    public interface Nothing {
    }

    @Vetoed
    public static class Unlocked {
    }

    public static class Producers {

        @Produces
        Account account(InterceptionProxy<Account> proxy) {
            return proxy.create(new Account());
        }

        @Produces
        Contract contract(InterceptionProxy<Contract> proxy) {
            return proxy.create(new Implementation());
        }

        @Produces
        @Named("one")
        Twice one(@BindingsSource(One.class) InterceptionProxy<Twice> proxy) {
            return proxy.create(new Twice());
        }

        @Produces
        @Named("other")
        Twice other(@BindingsSource(Other.class) InterceptionProxy<Twice> proxy) {
            return proxy.create(new Twice());
        }

        @Produces
        Foreign foreign(@BindingsSource(Unlike.class) InterceptionProxy<Foreign> proxy) {
            return proxy.create(new Foreign());
        }

        @Produces
        Unlocked unlocked(@BindingsSource(Nothing.class) InterceptionProxy<Unlocked> proxy) {
            return proxy.create(new Unlocked());
        }
    }
}
