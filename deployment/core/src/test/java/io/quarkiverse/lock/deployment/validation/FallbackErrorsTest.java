package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkiverse.lock.deployment.FakeBackends;
import io.quarkiverse.lock.runtime.manager.LocalBackendProvider;
import io.quarkiverse.lock.spi.Feature;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A fallback that does not match fails the build; so does a time that the backend cannot keep. */
class FallbackErrorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Generic.class, Grandparent.class))
            .addBuildChainCustomizer(FakeBackends.offerWith(LocalBackendProvider.class, "rows", Feature.ASYNC, Feature.LEASE))
            .assertException(failure -> {
                has(failure, "unnamed", "@Locked(onBusy = FALLBACK) needs a fallbackMethod", "(int[, LockBusyException])");
                has(failure, "unused", "@Locked(fallbackMethod = \"instead\") is called only with onBusy = FALLBACK");
                has(failure, "absent", "has no method of this name; it needs the parameters (int[, LockBusyException])");
                has(failure, "otherParameters", "the parameters must be (java.lang.String[, LockBusyException]); there are: "
                        + "instead(int)");
                has(failure, "otherResult", "it returns java.lang.String instead of int");
                has(failure, "otherItem", "it returns io.smallrye.mutiny.Uni<java.lang.Integer> instead of "
                        + "io.smallrye.mutiny.Uni<java.lang.String>");
                has(failure, "otherItems", "it returns java.util.Map<java.lang.String, java.util.List<java.lang.Integer>> "
                        + "instead of java.util.Map<java.lang.String, java.util.List<java.lang.Long>>");
                has(failure, "anyItem", "instead of io.smallrye.mutiny.Uni<java.lang.String>");
                has(failure, "hidden", "it is private");
                has(failure, "itself", "has no method of this name");
                has(failure, "overriding", "has no method of this name");
                has(failure, "overridingGeneric", "has no method of this name");
                has(failure, "overridingTwice", "has no method of this name");
                has(failure, "notStatic", "must be static too");
                has(failure, "keeps", "@Locked(holdAtLeast = \"5s\"): lock backend 'rows' cannot keep a name");
                has(failure, "badTime", "@Locked(holdAtLeast = \"-5s\"): holdAtLeast must be between 0 and 24 hours");
                assertThat(failure.getMessage()).doesNotContain("method=right").doesNotContain("method=sameItem");
            });

    private static void has(Throwable failure, String method, String... texts) {
        new BuildProblems(failure).has(Orders.class, method, texts);
    }

    @Test
    void doesNotBuild() {
        Assertions.fail();
    }

    public static class Grandparent {

        int overridingTwice(int id) {
            return id;
        }
    }

    public static class Generic<T> extends Grandparent {

        int overriding(int id) {
            return id;
        }

        public T overridingGeneric(T id) {
            return id;
        }

        /** The reason makes it another method. */
        int rightOverloaded(int id, LockBusyException busy) {
            return id;
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "sameItemInstead")
        Uni<List<T>> sameItem(T id) {
            return Uni.createFrom().item(List.of(id));
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Orders extends Generic<String> {

        Uni<List<String>> sameItemInstead(String id) {
            return Uni.createFrom().item(List.of(id));
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "rawInstead")
        Uni<String> rightIfRaw(long id) {
            return Uni.createFrom().item("");
        }

        @SuppressWarnings("rawtypes")
        Uni rawInstead(long id) {
            return Uni.createFrom().item("");
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "numberInstead")
        Uni<? extends Number> rightIfAny(long id) {
            return numberInstead(id);
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "anyInstead")
        Uni<String> anyItem(long id) {
            return Uni.createFrom().item("");
        }

        Uni<? extends CharSequence> anyInstead(long id) {
            return Uni.createFrom().item("");
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "numberInstead")
        Uni<String> otherItem(long id) {
            return Uni.createFrom().item("");
        }

        Uni<Integer> numberInstead(long id) {
            return Uni.createFrom().item(1);
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "numbersInstead")
        Map<String, List<Long>> otherItems(long id) {
            return Map.of();
        }

        Map<String, List<Integer>> numbersInstead(long id) {
            return Map.of();
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "rightInstead")
        int right(int id) {
            return id;
        }

        int rightInstead(int id, LockBusyException busy) {
            return id;
        }

        String instead(int id) {
            return "";
        }

        private int secret(int id) {
            return id;
        }

        @Locked(onBusy = OnBusy.FALLBACK)
        int unnamed(int id) {
            return id;
        }

        @Locked(fallbackMethod = "instead")
        String unused(int id) {
            return "";
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "nowhere")
        int absent(int id) {
            return id;
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "instead")
        String otherParameters(String id) {
            return "";
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "instead")
        int otherResult(int id) {
            return id;
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "secret")
        int hidden(int id) {
            return secret(id);
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "itself")
        int itself(int id) {
            return id;
        }

        @Override
        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "overriding")
        int overriding(int id) {
            return id;
        }

        @Override
        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "overridingGeneric")
        public String overridingGeneric(String id) {
            return id;
        }

        @Override
        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "overridingTwice")
        int overridingTwice(int id) {
            return id;
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "rightOverloaded")
        int rightOverloaded(int id) {
            return id;
        }

        @Locked(onBusy = OnBusy.FALLBACK, fallbackMethod = "rightInstead")
        static int notStatic(int id) {
            return id;
        }

        @Locked(holdAtLeast = "0")
        void rightKeepsNothing() {
        }

        @Locked(holdAtLeast = "5s")
        void keeps() {
        }

        @Locked(holdAtLeast = "-5s")
        void badTime() {
        }
    }
}
