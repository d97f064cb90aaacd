package io.quarkiverse.lock.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.StreamingOutput;

import org.jboss.resteasy.reactive.RestMulti;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.grpc.stub.StreamObserver;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkiverse.lock.deployment.BuildProblems;
import io.quarkus.arc.Unremovable;
import io.quarkus.hibernate.reactive.panache.PanacheQuery;
import io.quarkus.mongodb.panache.common.PanacheUpdate;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import kotlin.coroutines.Continuation;
import kotlin.sequences.Sequence;
import kotlinx.coroutines.channels.ReceiveChannel;

/** All errors of locked methods are reported at once, each with class, method and remedy. */
class DefinitionErrorsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Wrong.class, Generic.class, Order.class, Plain.class, Continuation.class,
                    StreamingOutput.class, StreamObserver.class, Sequence.class, ReceiveChannel.class,
                    RestMulti.class, PanacheQuery.class, PanacheUpdate.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.managers.orders.lease", "5s")
            .assertException(failure -> {
                has(failure, "unknownParameter",
                        "{ordr.id}: 'ordr' is not a parameter of the method; there are: order, amount");
                has(failure, "secondOfSeveral", "@Locked(\"to-{too}\"): {too}: 'too' is not a parameter of the method; "
                        + "there are: from, to");
                has(failure, "emptyAmongSeveral", "@Locked({\"a\", \"\"}): one of several names is empty");
                has(failure, "unknownProperty", "{order.idd}: 'idd' is not a property of", "there are: hidden, id");
                has(failure, "noProperties", "{amount.cents}: 'amount' is of type int, which has no properties");
                has(failure, "array", "{ids}: java.lang.String[] has no toString()");
                has(failure, "noText", "Plain has no toString() of its own", "there are: code");
                has(failure, "brokenTemplate", "@Locked(\"order-{id\"): the brace at 6 is not closed");
                has(failure, "nameTooLong", "the name is 1025 characters long; at most 1024");
                has(failure, "badWait", "@Locked(waitFor = \"soon\"): 'soon' is not a duration; write 10s");
                has(failure, "negativeWait", "@Locked(waitFor = \"-1s\"): wait must not be negative");
                has(failure, "shortLease", "@Locked(lease = \"500ms\"): lease must be between 1 second and 24 hours");
                has(failure, "longLease", "@Locked(lease = \"25h\"): lease must be between 1 second and 24 hours");
                has(failure, "noHold", "@Locked(maxHold = \"0\"): max-hold must be positive");
                has(failure, "badRenew", "@Locked(renew = \"yes\"): 'yes' is neither true nor false");
                has(failure, "skippedInt", "@Locked(onBusy = SKIP): return type int cannot say that the call was skipped");
                has(failure, "future", "does not hold the lock until a", "ScheduledFuture", "return a value, a Uni, a Multi");
                has(failure, "publisher", "Flow$Publisher");
                has(failure, "subscriber", "Flow$Subscriber");
                has(failure, "writtenLater", "does not hold the lock until a", "StreamingOutput");
                has(failure, "uniOfOutput", "does not hold the lock until the jakarta.ws.rs.core.StreamingOutput in a "
                        + "io.smallrye.mutiny.Uni<jakarta.ws.rs.core.StreamingOutput> ends: return");
                has(failure, "uniOfFuture", "until the java.util.concurrent.Future<java.lang.String> in a");
                has(failure, "uniOfUni", "until the io.smallrye.mutiny.Uni<java.lang.String> in a");
                has(failure, "optionalUni", "until the io.smallrye.mutiny.Uni<java.lang.String> in a java.util.Optional<");
                has(failure, "stageOfOutput", "until the jakarta.ws.rs.core.StreamingOutput in a");
                has(failure, "multiOfUnis", "until the io.smallrye.mutiny.Uni<java.lang.String> in a");
                has(failure, "someStages", "until the java.util.concurrent.CompletionStage<java.lang.String> in a");
                has(failure, "deepInside", "until the io.smallrye.mutiny.Uni<java.lang.String> in a java.util.Map<");
                has(failure, "arrayOfUnis", "until the io.smallrye.mutiny.Uni<java.lang.String> in a");
                has(failure, "generic", "until the io.smallrye.mutiny.Uni<java.lang.String> in a java.util.List<");
                has(failure, "observer", "does not hold the lock until a io.grpc.stub.StreamObserver<java.lang.String> ends");
                has(failure, "lazy", "does not hold the lock until a java.util.stream.Stream<java.lang.String> ends: "
                        + "return its result, as a List or an array, since streams and queries may run only later");
                has(failure, "query", "until a io.quarkus.hibernate.reactive.panache.PanacheQuery<java.lang.String> ends: "
                        + "return its result, as a List or an array");
                has(failure, "update", "until a io.quarkus.mongodb.panache.common.PanacheUpdate ends: return its result");
                has(failure, "uniOfQuery", "PanacheQuery<java.lang.String> in a", "a List or an array");
                has(failure, "withHeaders", "RestMulti<java.lang.String> ends: return a Multi, and set the status and the "
                        + "headers with @ResponseStatus and @ResponseHeader, or put @Locked on the method of another bean");
                has(failure, "lazyInts", "until a java.util.stream.IntStream ends: return its result, as a List or an array");
                has(failure, "uniOfLazy", "until the java.util.stream.Stream<java.lang.String> in a", "a List or an array");
                has(failure, "lazyInKotlin",
                        "until a kotlin.sequences.Sequence<java.lang.String> ends: return its result, as a List or an array");
                has(failure, "uniOfLazyInKotlin", "until the kotlin.sequences.Sequence<java.lang.String> in a",
                        "a List or an array");
                has(failure, "channel",
                        "until a kotlinx.coroutines.channels.ReceiveChannel<java.lang.String> ends: return a value, "
                                + "a Uni, a Multi");
                has(failure, "suspended", "Kotlin suspend function");
                has(failure, "countedReaders", "@Locked(mode = SHARED, limit = 2): SHARED calls are not counted");
                has(failure, "readersForSomeTime", "@Locked(mode = SHARED, holdAtLeast = \"1m\"): only an exclusive lock");
                has(failure, "someForSomeTime", "@Locked(limit = 2, holdAtLeast = \"1m\"): only an exclusive lock");
                has(failure, "lingersForTooLong", "@Locked(linger = \"11s\", lease = \"20s\"): it must be at most half of the "
                        + "lease; shorten the one, or raise the other");
                has(failure, "lingersForSome",
                        "@Locked(linger = \"1s\", limit = 2): linger has no effect on a lock with a limit");
                has(failure, "lingersForSomeTime", "@Locked(linger = \"1s\", holdAtLeast = \"1m\"): linger has no effect");
                has(failure, "lingersUnrenewed", "@Locked(linger = \"1s\", renew = \"false\"): linger has no effect");
                has(failure, "limitedUnrenewed",
                        "@Locked(maxHold = \"1m\", renew = \"false\"): maxHold has no effect on a lock "
                                + "that is not renewed");
                has(failure, "limitedToNothing", "@Locked(maxHold = \"0\"): ");
                assertThat(failure.getMessage()).as("one error for one value").doesNotContain("maxHold = \"0\", renew");
                has(failure, "badLinger", "@Locked(linger = \"-1s\"): linger must be between 0 and 12 hours");
                has(failure, "negativeLimit", "@Locked(limit = -1): must not be negative");
                has(failure, "unknownManager",
                        "@Locked(manager = \"ordres\"): there is no such lock manager; there are: orders",
                        "To define it, set any property quarkus.lock.managers.ordres.* when the application is built");
                has(failure, "unsetManager", "property 'no.such' is not set");
                has(failure, "twoProblems", "waitFor = \"x\"");
                has(failure, "twoProblems", "lease = \"y\"");
                assertThat(failure.getMessage()).doesNotContain("method=right");
            });

    private static void has(Throwable failure, String method, String... texts) {
        new BuildProblems(failure).has(Wrong.class, method, texts);
    }

    @Test
    void doesNotBuild() {
        Assertions.fail();
    }

    record Order(int id, String hidden) {
    }

    static class Plain {
        public int getCode() {
            return 1;
        }
    }

    public static class Generic<T> {

        @Locked
        List<T> generic() {
            return null;
        }
    }

    @ApplicationScoped
    @Unremovable
    public static class Wrong extends Generic<Uni<String>> {

        @Locked("order-{order.id}")
        void right(Order order) {
        }

        @Locked(value = "order-{order.id}", waitFor = "${no.such}", onBusy = OnBusy.SKIP)
        Integer rightWhenConfigured(Order order) {
            return 1;
        }

        @Locked(mode = LockMode.SHARED, holdAtLeast = "0")
        void rightReadersForNoTime() {
        }

        @Locked(linger = "1s", holdAtLeast = "0s")
        void rightLingersForNoTime() {
        }

        @Locked(mode = LockMode.SHARED, limit = 2)
        void countedReaders() {
        }

        @Locked(mode = LockMode.SHARED, holdAtLeast = "1m")
        void readersForSomeTime() {
        }

        @Locked(limit = 2, holdAtLeast = "1m")
        void someForSomeTime() {
        }

        @Locked(linger = "11s", lease = "20s")
        void lingersForTooLong() {
        }

        @Locked(linger = "1s", limit = 2)
        void lingersForSome() {
        }

        @Locked(linger = "1s", holdAtLeast = "1m")
        void lingersForSomeTime() {
        }

        @Locked(linger = "1s", renew = "false")
        void lingersUnrenewed() {
        }

        @Locked(maxHold = "1m", renew = "false")
        void limitedUnrenewed() {
        }

        @Locked(maxHold = "0", renew = "false")
        void limitedToNothing() {
        }

        @Locked(linger = "-1s")
        void badLinger() {
        }

        @Locked(limit = -1)
        void negativeLimit() {
        }

        @Locked("order-{ordr.id}")
        void unknownParameter(Order order, int amount) {
        }

        @Locked({ "from-{from}", "to-{too}" })
        void secondOfSeveral(String from, String to) {
        }

        @Locked({ "a", "" })
        void emptyAmongSeveral() {
        }

        @Locked("")
        void rightWithoutName() {
        }

        @Locked("order-{order.idd}")
        void unknownProperty(Order order) {
        }

        @Locked("order-{amount.cents}")
        void noProperties(int amount) {
        }

        @Locked("order-{ids}")
        void array(String[] ids) {
        }

        @Locked("order-{plain}")
        void noText(Plain plain) {
        }

        @Locked("order-{id")
        void brokenTemplate(String id) {
        }

        @Locked(L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + L64 + "x")
        void nameTooLong() {
        }

        static final String L64 = "0123456789012345678901234567890123456789012345678901234567890123";

        @Locked(waitFor = "soon")
        void badWait() {
        }

        @Locked(waitFor = "-1s")
        void negativeWait() {
        }

        @Locked(lease = "500ms")
        void shortLease() {
        }

        @Locked(lease = "25h")
        void longLease() {
        }

        @Locked(maxHold = "0")
        void noHold() {
        }

        @Locked(renew = "yes")
        void badRenew() {
        }

        @Locked(onBusy = OnBusy.SKIP)
        int skippedInt() {
            return 1;
        }

        @Locked("order-{order.id}")
        Multi<String> rightToo(Order order) {
            return Multi.createFrom().empty();
        }

        @Locked
        ScheduledFuture<String> future() {
            return null;
        }

        @Locked
        Flow.Publisher<String> publisher() {
            return null;
        }

        @Locked
        Flow.Subscriber<String> subscriber() {
            return null;
        }

        @Locked
        StreamingOutput writtenLater() {
            return null;
        }

        @Locked
        Uni<StreamingOutput> uniOfOutput() {
            return null;
        }

        @Locked
        Uni<Future<String>> uniOfFuture() {
            return null;
        }

        @Locked
        Uni<Uni<String>> uniOfUni() {
            return null;
        }

        @Locked
        Optional<Uni<String>> optionalUni() {
            return Optional.empty();
        }

        @Locked
        CompletionStage<StreamingOutput> stageOfOutput() {
            return null;
        }

        @Locked
        Multi<Uni<String>> multiOfUnis() {
            return null;
        }

        @Locked
        List<? extends CompletionStage<String>> someStages() {
            return null;
        }

        @Locked
        Map<String, List<Uni<String>>> deepInside() {
            return null;
        }

        @Locked
        Uni<String>[] arrayOfUnis() {
            return null;
        }

        @Locked
        StreamObserver<String> observer() {
            return null;
        }

        @Locked
        PanacheQuery<String> query() {
            return null;
        }

        @Locked
        PanacheUpdate update() {
            return null;
        }

        @Locked
        Uni<PanacheQuery<String>> uniOfQuery() {
            return null;
        }

        @Locked
        RestMulti<String> withHeaders() {
            return null;
        }

        @Locked
        Stream<String> lazy() {
            return null;
        }

        @Locked
        IntStream lazyInts() {
            return null;
        }

        @Locked
        Sequence<String> lazyInKotlin() {
            return null;
        }

        @Locked
        Uni<Sequence<String>> uniOfLazyInKotlin() {
            return null;
        }

        @Locked
        ReceiveChannel<String> channel() {
            return null;
        }

        @Locked
        Uni<Stream<String>> uniOfLazy() {
            return null;
        }

        @Locked
        Uni<Map<String, List<? super Integer>>> rightInside() {
            return null;
        }

        @Locked
        Object suspended(String id, Continuation<?> continuation) {
            return null;
        }

        @Locked(manager = "ordres")
        void unknownManager() {
        }

        @Locked(manager = "${no.such}")
        void unsetManager() {
        }

        @Locked(manager = "${no.such:orders}", waitFor = "x", lease = "y")
        Supplier<String> twoProblems() {
            return () -> "";
        }
    }
}
