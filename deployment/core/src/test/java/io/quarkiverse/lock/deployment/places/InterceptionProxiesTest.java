package io.quarkiverse.lock.deployment.places;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.places.elsewhere.LibraryAccount;
import io.quarkus.arc.Arc;
import io.quarkus.arc.BeanCreator;
import io.quarkus.arc.BindingsSource;
import io.quarkus.arc.InterceptionProxy;
import io.quarkus.arc.SyntheticCreationalContext;
import io.quarkus.arc.deployment.SyntheticBeanBuildItem;
import io.quarkus.builder.BuildChainBuilder;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;

/** Objects that a producer makes and passes through an interception proxy: their classes need not be beans. */
class InterceptionProxiesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Held.class, Account.class, Special.class, ByHand.class, Contract.class,
                    Implementation.class, Payment.class, Service.class, Shared.class, Parent.class, Child.class, Foreign.class,
                    ForeignSource.class, Producers.class, Synthetic.class, Creator.class, Extension.class))
            .addBuildChainCustomizer(new Extension())
            .withAdditionalDependency(jar -> jar.addClass(LibraryAccount.class)
                    .addAsManifestResource(EmptyAsset.INSTANCE, "beans.xml"))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock"))
            .assertLogRecords(records -> assertThat(records).extracting(record -> record.getParameters()[0])
                    .isEmpty());

    @Inject
    Account account;

    @Inject
    @Identifier("special")
    Account special;

    @Inject
    ByHand byHand;

    @Inject
    Contract contract;

    @Inject
    LibraryAccount library;

    @Inject
    Service service;

    @Inject
    @Identifier("proxied")
    Payment proxied;

    @Inject
    Shared shared;

    @Inject
    @Identifier("shared")
    Shared sharedProxied;

    @Inject
    Parent parent;

    @Inject
    @Identifier("child")
    Child child;

    @Inject
    Foreign foreign;

    @Inject
    Synthetic synthetic;

    @Inject
    LockManager locks;

    @Test
    void fault306_proxiedNonBeanClassIsLocked() {
        assertThat(account.pay("1")).isEqualTo("account-1");
        assertThat(account.plain()).isEqualTo(Account.class.getName() + ".plain");
        assertThat(account.free()).isEqualTo("nothing");
    }

    @Test
    void selfCallsBypassTheProxy() {
        assertThat(account.byItself("1")).isEqualTo("nothing");
    }

    @Test
    void fault306_proxiedSubclassInstanceIsLocked() {
        assertThat(special.pay("2")).as("of the declared class, which the proxy forwards to").isEqualTo("account-2");
        assertThat(special.plain()).isEqualTo(Account.class.getName() + ".plain");
    }

    @Test
    void fault306_proxiedVetoedClassIsLocked() {
        assertThat(byHand.pay()).isEqualTo("by-hand");
        assertThat(byHand.own("3")).isEqualTo("own-3");
    }

    @Test
    void fault306_proxiedInterfaceIsLocked() {
        assertThat(contract.pay("4")).isEqualTo("contract-4");
    }

    @Test
    void fault306_proxiedInterfaceUsesFallback() {
        try (LockHandle held = locks.lock("contract-5").acquire()) {
            assertThat(CompletableFuture.supplyAsync(() -> contract.pay("5")).join()).isEqualTo("fallback 5");
        }
    }

    @Test
    void fault306_proxiedLibraryClassIsLocked() {
        assertThat(library.pay("6")).isEqualTo("library-6");
    }

    @Test
    void fault306_bindingsSourceAnnotationsAreUsed() {
        assertThat(foreign.pay("7")).isEqualTo("foreign-7");
        assertThat(foreign.whole()).isEqualTo("foreign");
    }

    @Test
    void fault326_proxiedBeanTakesBothLocks() {
        assertThat(service.pay("8")).isEqualTo("service-8");
        assertThat(proxied.pay("8")).as("the locks of both types").isEqualTo("payment-8, service-8");
    }

    @Test
    void fault306_beanAndProxiedObjectLockAlike() {
        assertThat(shared.pay("9")).isEqualTo("shared-9");
        assertThat(sharedProxied.pay("9")).isEqualTo("shared-9");
    }

    @Test
    void fault326_proxiedClassAndSubclassLockAlike() {
        assertThat(parent.pay("10")).isEqualTo("parent-10");
        assertThat(child.pay("10")).isEqualTo("parent-10");
    }

    @Test
    void fault306_proxiedSyntheticBeanIsLocked() {
        assertThat(synthetic.pay("9")).isEqualTo("synthetic-9");
    }

    static class Held {
        static String name() {
            String names = Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).sorted()
                    .collect(Collectors.joining(", "));
            return names.isEmpty() ? "nothing" : names;
        }
    }

    public static class Account {

        @Locked("account-{id}")
        String pay(String id) {
            return Held.name();
        }

        @Locked
        String plain() {
            return Held.name();
        }

        String free() {
            return Held.name();
        }

        String byItself(String id) {
            return pay(id);
        }
    }

    public static class Special extends Account {
    }

    @Vetoed
    @Locked("by-hand")
    public static class ByHand {

        String pay() {
            return Held.name();
        }

        @Locked("own-{id}")
        String own(String id) {
            return Held.name();
        }
    }

    public interface Contract {

        @Locked(value = "contract-{id}", waitFor = "0", onBusy = OnBusy.FALLBACK, fallbackMethod = "busy")
        String pay(String id);

        default String busy(String id, LockBusyException busy) {
            return "fallback " + id;
        }
    }

    @Vetoed
    public static class Implementation implements Contract {

        @Override
        public String pay(String id) {
            return Held.name();
        }
    }

    public interface Payment {

        @Locked("payment-{id}")
        String pay(String id);
    }

    @Singleton
    public static class Service implements Payment {

        @Override
        @Locked("service-{id}")
        public String pay(String id) {
            return Held.name();
        }
    }

    @ApplicationScoped
    public static class Shared {

        @Locked("shared-{id}")
        String pay(String id) {
            return Held.name();
        }
    }

    public static class Parent {

        @Locked("parent-{id}")
        String pay(String id) {
            return Held.name();
        }
    }

    public static class Child extends Parent {
    }

    @Vetoed
    public static class Foreign {

        String pay(String id) {
            return Held.name();
        }

        String whole() {
            return Held.name();
        }
    }

    @Locked("foreign")
    public abstract static class ForeignSource {

        @Locked("foreign-{id}")
        abstract String pay(String id);
    }

    @Vetoed
    public static class Synthetic {

        @Locked("synthetic-{id}")
        String pay(String id) {
            return Held.name();
        }
    }

    public static class Creator implements BeanCreator<Synthetic> {

        @Override
        public Synthetic create(SyntheticCreationalContext<Synthetic> context) {
            return context.<Synthetic> getInterceptionProxy().create(new Synthetic());
        }
    }

    public static class Extension implements Consumer<BuildChainBuilder> {

        @Override
        public void accept(BuildChainBuilder chain) {
            chain.addBuildStep(context -> context.produce(SyntheticBeanBuildItem.configure(Synthetic.class)
                    .scope(Singleton.class).creator(Creator.class).injectInterceptionProxy().done()))
                    .produces(SyntheticBeanBuildItem.class).build();
        }
    }

    public static class Producers {

        @Produces
        Account account(InterceptionProxy<Account> proxy) {
            return proxy.create(new Account());
        }

        @Produces
        @Identifier("special")
        Account special(InterceptionProxy<Account> proxy) {
            return proxy.create(new Special());
        }

        @Produces
        ByHand byHand(InterceptionProxy<ByHand> proxy) {
            return proxy.create(new ByHand());
        }

        @Produces
        Contract contract(InterceptionProxy<Contract> proxy) {
            return proxy.create(new Implementation());
        }

        @Produces
        LibraryAccount library(InterceptionProxy<LibraryAccount> proxy) {
            return proxy.create(new LibraryAccount());
        }

        @Produces
        @Identifier("proxied")
        Payment payment(InterceptionProxy<Payment> proxy, Service service) {
            return proxy.create(service);
        }

        @Produces
        Parent parent(InterceptionProxy<Parent> proxy) {
            return proxy.create(new Parent());
        }

        @Produces
        @Identifier("child")
        Child child(InterceptionProxy<Child> proxy) {
            return proxy.create(new Child());
        }

        @Produces
        @Identifier("shared")
        Shared shared(InterceptionProxy<Shared> proxy) {
            return proxy.create(new Shared());
        }

        @Produces
        Foreign foreign(@BindingsSource(ForeignSource.class) InterceptionProxy<Foreign> proxy) {
            return proxy.create(new Foreign());
        }
    }
}
