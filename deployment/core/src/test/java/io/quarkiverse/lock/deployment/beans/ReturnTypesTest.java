package io.quarkiverse.lock.deployment.beans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.SubmissionPublisher;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.core.StreamingOutput;

import org.jboss.resteasy.reactive.RestMulti;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.vertx.core.Future;
import kotlin.sequences.Sequence;

/** How long the lock is held depends on the returned type, which a subclass may declare although the class does not. */
class ReturnTypesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Base.class, Unis.class, Stages.class, Multis.class, Texts.class,
                    Defaults.class, DefaultUnis.class, Anything.class, StreamingOutput.class, Sequence.class, RestMulti.class,
                    WithHeaders.class))
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    LockManager locks;

    @Inject
    Unis unis;

    @Inject
    Stages stages;

    @Inject
    Multis multis;

    @Inject
    Texts texts;

    @Inject
    DefaultUnis defaults;

    @Inject
    Anything anything;

    @Test
    void fault106_genericUnisHoldTheLock() {
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<String> result = unis.run(() -> Uni.createFrom().completionStage(end)).subscribeAsCompletionStage();
        heldUntil(end, "base");
        assertThat(result.join()).isEqualTo("done");
    }

    @Test
    void fault106_genericStagesHoldTheLock() {
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletionStage<String> result = stages.run(() -> end);
        heldUntil(end, "base");
        assertThat(result.toCompletableFuture().join()).isEqualTo("done");
    }

    @Test
    void fault106_genericMultisHoldTheLock() {
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<String> result = multis.run(() -> Multi.createFrom().completionStage(end)).toUni()
                .subscribeAsCompletionStage();
        heldUntil(end, "base");
        assertThat(result.join()).isEqualTo("done");
    }

    @Test
    void fault106_genericDefaultMethodsHoldTheLock() {
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<String> result = defaults.run(() -> Uni.createFrom().completionStage(end))
                .subscribeAsCompletionStage();
        heldUntil(end, "defaults");
        assertThat(result.join()).isEqualTo("done");
    }

    private void heldUntil(CompletableFuture<String> end, String name) {
        assertThat(locks.lock(name).tryAcquire(Duration.ZERO)).as("while the work goes on").isEmpty();
        end.complete("done");
        locks.lock(name).acquire().close();
    }

    @Test
    void plainValueOfGenericTypeIsReturned() {
        assertThat(texts.run(() -> "x")).isEqualTo("x");
        assertThat(anything.object(null)).isNull();
        assertThat(anything.object("x")).isEqualTo("x");
    }

    @Test
    void fault106_asyncResultOfBlockingMethodIsRejected() {
        for (Object later : new Object[] { Uni.createFrom().item(1), Multi.createFrom().item(1),
                CompletableFuture.completedFuture(1), new SubmissionPublisher<String>(), Future.succeededFuture() }) {
            refused(() -> anything.object(later), later);
            refused(() -> anything.several(later), later);
            refused(() -> anything.generic(later), later);
        }
        locks.lock("object").acquire().close();
    }

    @Test
    void fault343_streamingOutputIsRejected() {
        StreamingOutput later = output -> output.write(1);
        refused(() -> anything.object(later), later);
        locks.lock("object").acquire().close();
    }

    @Test
    void fault106_asyncResultOfNestedCallIsRejected() {
        Object later = Uni.createFrom().item(1);
        locks.lock("object").run(() -> refused(() -> anything.object(later), later));
    }

    @Test
    void fault361_asyncItemOfUniIsRejected() {
        for (Object later : laterItems()) {
            notAsItem(() -> anything.uni(later).await().indefinitely(), later);
            notAsItem(() -> anything.severalLater(later).await().indefinitely(), later);
            notAsItem(() -> locks.lock("object").callAsync(() -> anything.uni(later)).await().indefinitely(), later);
        }
        locks.lock("object").acquire().close();
        assertThat(anything.uni("x").await().indefinitely()).isEqualTo("x");
        assertThat(anything.uni(null).await().indefinitely()).isNull();
    }

    @Test
    void fault361_asyncItemOfStageIsRejected() {
        for (Object later : laterItems()) {
            notAsItem(() -> join(anything.stage(later)), later);
        }
        locks.lock("object").acquire().close();
        assertThat(join(anything.stage("x"))).isEqualTo("x");
        assertThat(join(anything.stage(null))).isNull();
    }

    @Test
    void fault361_lazyStreamIsRejected() {
        Sequence<String> inKotlin = List.of("x")::iterator;
        for (Object later : new Object[] { Stream.of("x"), inKotlin }) {
            assertThatThrownBy(() -> anything.object(later)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("return its result, as a List or an array");
            assertThatThrownBy(() -> anything.uni(later).await().indefinitely()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("emit its result, as a List or an array");
        }
        locks.lock("object").acquire().close();
    }

    @Test
    void fault578_restMultiOfMultiMethodFails() {
        for (Multi<String> result : List.of(anything.multi(new WithHeaders()), anything.streamed(new WithHeaders()),
                anything.inTransaction(new WithHeaders()))) {
            failsWithHeaders(result);
        }
        assertThat(anything.multi(Multi.createFrom().item("x")).collect().asList().await().indefinitely())
                .containsExactly("x");
        try (LockHandle hold = locks.lock("object").acquire()) {
            failsWithHeaders(anything.substituted(new WithHeaders()));
            assertThat(hold.isValid()).isTrue();
        }
    }

    private static void failsWithHeaders(Multi<String> result) {
        assertThatThrownBy(() -> result.collect().asList().await().indefinitely()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("[" + Anything.class.getName() + ".")
                .hasMessageContainingAll(WithHeaders.class.getName(), "@ResponseStatus", "@ResponseHeader");
    }

    private static List<Object> laterItems() {
        StreamingOutput output = written -> written.write(1);
        return List.of(output, Uni.createFrom().item(1), new CompletableFuture<>(), Stream.of(1));
    }

    private static Object join(CompletionStage<Object> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static void notAsItem(Supplier<?> call, Object later) {
        assertThatThrownBy(call::get).as(later.getClass().getName()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("[" + Anything.class.getName() + ".").hasMessageContaining(later.getClass().getName())
                .hasMessageContaining("The item of the returned");
    }

    private static void refused(Supplier<?> call, Object later) {
        assertThatThrownBy(call::get).as(later.getClass().getName()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("[" + Anything.class.getName() + ".").hasMessageContaining(later.getClass().getName())
                .hasMessageContaining("declare a Uni");
    }

    public abstract static class Base<T> {

        @Locked("base")
        T run(Supplier<T> body) {
            return body.get();
        }
    }

    @ApplicationScoped
    public static class Unis extends Base<Uni<String>> {
    }

    @ApplicationScoped
    public static class Stages extends Base<CompletionStage<String>> {
    }

    @ApplicationScoped
    public static class Multis extends Base<Multi<String>> {
    }

    @ApplicationScoped
    public static class Texts extends Base<String> {
    }

    public interface Defaults<T> {

        default T run(Supplier<T> body) {
            return body.get();
        }
    }

    @ApplicationScoped
    @Locked("defaults")
    public static class DefaultUnis implements Defaults<Uni<String>> {
    }

    public static class WithHeaders extends RestMulti<String> {

        @Override
        public void subscribe(MultiSubscriber<? super String> subscriber) {
            Multi.createFrom().item("without headers").subscribe(subscriber);
        }
    }

    @ApplicationScoped
    public static class Anything {

        @Locked("object")
        Multi<String> multi(Multi<String> result) {
            return result;
        }

        Multi<String> unlocked(Multi<String> result) {
            return result;
        }

        @Locked(value = { "object", "other" }, onBusy = OnBusy.SKIP)
        Multi<String> streamed(Multi<String> result) {
            return result;
        }

        @Locked("object")
        @Transactional
        Multi<String> inTransaction(Multi<String> result) {
            return result;
        }

        @Locked(value = "object", waitFor = "0", onBusy = OnBusy.FALLBACK, fallbackMethod = "unlocked")
        Multi<String> substituted(Multi<String> result) {
            return Multi.createFrom().empty();
        }

        @Locked("object")
        Object object(Object result) {
            return result;
        }

        @Locked({ "object", "other" })
        Object several(Object result) {
            return result;
        }

        @Locked("object")
        Uni<Object> uni(Object result) {
            return Uni.createFrom().item(result);
        }

        @Locked({ "object", "other" })
        Uni<Object> severalLater(Object result) {
            return Uni.createFrom().item(result);
        }

        @Locked("object")
        CompletionStage<Object> stage(Object result) {
            return CompletableFuture.completedStage(result);
        }

        @Locked("object")
        <T> T generic(T result) {
            return result;
        }
    }
}
