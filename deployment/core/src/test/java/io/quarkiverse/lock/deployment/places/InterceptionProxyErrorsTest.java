package io.quarkiverse.lock.deployment.places;

import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import jakarta.transaction.Transactional;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.BindingsSource;
import io.quarkus.arc.InterceptionProxy;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;

/** Objects behind an interception proxy are checked like beans. */
class InterceptionProxyErrorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Account.class, Contract.class, Implementation.class, Twice.class,
                    One.class, Other.class, Foreign.class, Unlike.class, Unlocked.class, Nothing.class, Producers.class,
                    Parent.class, Child.class, Service.class, Source.class, Base.class, Left.class, Right.class, Ledger.class,
                    Plain.class, Begins.class, AlsoProducers.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.arc.remove-unused-beans", "false")
            .assertException(failure -> {
                BuildProblems problems = new BuildProblems(failure);
                problems.has(Account.class, "pay", "@Locked(\"{nobody}\")", "'nobody' is not a parameter of the method");
                problems.has(Account.class, "hidden", "private method");
                problems.has(Contract.class, "pay", "@Locked(\"{nothing}\")", "'nothing' is not a parameter of the method");
                problems.has(Twice.class, "pay", "\"one\"", One.class.getName(), "\"other\"", Other.class.getName());
                problems.has(Unlike.class, "pay", "the class behind the proxy", "same name, return type and parameters");
                problems.hasClass(Nothing.class, "nothing behind it could be locked");
                problems.has(Child.class, "pay", producer("child") + " of " + Child.class.getName() + " locks \"special\"",
                        producer("parent") + " of " + Parent.class.getName() + " locks \"account\"",
                        "Give both the same annotations");
                problems.has(Service.class, "pay", "the bean " + Service.class.getName() + " locks \"service\"",
                        producer("service"), " with the annotations of " + Source.class.getName() + " locks \"source\"");
                problems.has(Left.class, "pay", producer("left"), "\"left\"", producer("right"), "\"right\"");
                problems.has(Ledger.class, "pay", producer("begins"), "around a transaction", producer("plain"));
                problems.nothingOf(One.class, Other.class, Foreign.class);
            });

    @Test
    void fault306_proxiedObjectsAreChecked() {
        Assertions.fail();
    }

    @Test
    void fault326_allTypesOfAnObjectMustLockAlike() {
        Assertions.fail();
    }

    private static String producer(String name) {
        return "the producer " + AlsoProducers.class.getName() + '.' + name;
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

    @Vetoed
    @Locked("account")
    public static class Parent {

        void pay() {
        }
    }

    @Vetoed
    @Locked("special")
    public static class Child extends Parent {
    }

    @Singleton
    public static class Service {

        @Locked("service")
        void pay() {
        }
    }

    public abstract static class Source {

        @Locked("source")
        abstract void pay();
    }

    public interface Base {

        void pay();
    }

    @Locked("left")
    public interface Left extends Base {
    }

    @Locked("right")
    public interface Right extends Base {
    }

    @Vetoed
    public static class Ledger implements Left, Right {

        @Override
        public void pay() {
        }
    }

    public abstract static class Plain {

        @Locked("ledger")
        public abstract void pay();
    }

    public abstract static class Begins {

        @Locked("ledger")
        @Transactional
        public abstract void pay();
    }

    /** Producers of several types that one object can have at once. */
    public static class AlsoProducers {

        @Produces
        @Named("parent")
        Parent parent(InterceptionProxy<Parent> proxy) {
            return proxy.create(new Child());
        }

        @Produces
        @Named("child")
        Child child(InterceptionProxy<Child> proxy) {
            return proxy.create(new Child());
        }

        @Produces
        @Identifier("proxied")
        Service service(@BindingsSource(Source.class) InterceptionProxy<Service> proxy, Service service) {
            return proxy.create(service);
        }

        @Produces
        @Named("left")
        Left left(InterceptionProxy<Left> proxy) {
            return proxy.create(new Ledger());
        }

        @Produces
        @Named("right")
        Right right(InterceptionProxy<Right> proxy) {
            return proxy.create(new Ledger());
        }

        @Produces
        @Named("plain")
        Ledger plain(@BindingsSource(Plain.class) InterceptionProxy<Ledger> proxy) {
            return proxy.create(new Ledger());
        }

        @Produces
        @Named("begins")
        Ledger begins(@BindingsSource(Begins.class) InterceptionProxy<Ledger> proxy) {
            return proxy.create(new Ledger());
        }
    }
}
