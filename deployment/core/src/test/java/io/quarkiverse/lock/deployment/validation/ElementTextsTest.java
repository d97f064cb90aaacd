package io.quarkiverse.lock.deployment.validation;

import static io.quarkiverse.lock.deployment.BuildProblems.has;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.Locked;
import io.quarkus.arc.Unremovable;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.tuples.Tuple2;
import io.smallrye.mutiny.tuples.Tuple3;

/** A text that is built from another text is no more stable than that one. */
class ElementTextsTest {

    private static final String NO_TEXT = Item.class.getName() + " has no toString() of its own, so its text differs each time";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Items.class, Texts.class, Item.class, Box.class,
                    Coming.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .assertException(failure -> {
                for (String method : List.of("iterable", "reference", "references", "tuple", "nested", "bound", "boundOfBound",
                        "ofClass", "wildcard", "raw")) {
                    has(failure, method, NO_TEXT);
                }
                has(failure, "tuple", "in " + Tuple2.class.getName() + "<java.lang.String, " + Item.class.getName() + ">");
                for (String method : List.of("uni", "multi", "future", "stage", "completable", "inList")) {
                    has(failure, method, "is not that of its result; pass the result");
                }
                for (String method : List.of("address", "socket")) {
                    has(failure, method, "depends on whether its host name has been looked up");
                }
                has(failure, "address", "there are: ", "hostAddress");
                has(failure, "thread", "differs from JVM to JVM", "there are: ", "name");
                assertThat(failure.getMessage()).doesNotContain("method=right");
            });

    @Test
    void fault170_containersAreCheckedByTheirElements() {
        Assertions.fail();
    }

    public static class Item {
    }

    public record Box<T extends Item>(T content) {
    }

    /** Has its own text. */
    public static class Coming extends CompletableFuture<String> {

        @Override
        public String toString() {
            return "coming";
        }
    }

    public abstract static class Orders<C extends List<Item>> {

        @Locked("{it}")
        void ofClass(C it) {
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Items extends Orders<List<Item>> {

        @Locked("{it}")
        void iterable(Iterable<Item> it) {
        }

        @Locked("{it}")
        void reference(AtomicReference<Item> it) {
        }

        @Locked("{it}")
        void references(AtomicReferenceArray<Item> it) {
        }

        @Locked("{it}")
        void tuple(Tuple2<String, Item> it) {
        }

        @Locked("{it}")
        void nested(Tuple3<String, Long, List<Item>> it) {
        }

        @Locked("{it}")
        <T extends List<Item>> void bound(T it) {
        }

        @Locked("{it}")
        <T extends Item, L extends List<T>> void boundOfBound(L it) {
        }

        @Locked("{it}")
        void wildcard(Box<?> it) {
        }

        @Locked("{it}")
        void raw(@SuppressWarnings("rawtypes") Box it) {
        }

        @Locked("{it}")
        void uni(Uni<String> it) {
        }

        @Locked("{it}")
        void multi(Multi<String> it) {
        }

        @Locked("{it}")
        void future(Future<String> it) {
        }

        @Locked("{it}")
        void stage(CompletionStage<String> it) {
        }

        @Locked("{it}")
        void completable(CompletableFuture<String> it) {
        }

        @Locked("{it}")
        void inList(List<CompletableFuture<String>> it) {
        }

        @Locked("{it}")
        void address(InetAddress it) {
        }

        @Locked("{it}")
        void socket(InetSocketAddress it) {
        }

        @Locked("{it}")
        void thread(Thread it) {
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Texts {

        @Locked("{texts}-{reference}-{tuple}-{coming}-{ordered}-{address.hostAddress}-{thread.name}")
        void right(Iterable<String> texts, AtomicReference<Long> reference, Tuple2<String, List<Long>> tuple, Coming coming,
                CopyOnWriteArraySet<String> ordered, InetAddress address, Thread thread) {
        }

        @Locked("{it}")
        <T extends Comparable<T>> void rightComparable(T it) {
        }

        @Locked("{one}-{other}")
        <A extends List<B>, B extends List<A>> void rightMutual(A one, B other) {
        }
    }
}
