package io.quarkiverse.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.engine.state.HoldSettings;
import io.quarkiverse.lock.engine.thread.CallerThreads;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import io.quarkiverse.lock.local.VirtualTime;
import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.UniEmitter;

/** What the body of a pipeline does to Mutiny's context. */
class PipelineContextTest {

    private static final String[] A = { "a" };

    private final VirtualTime time = new VirtualTime();
    private final LocalStore store = new LocalStore(time);
    private final LockEngine engine = LockEngine.builder(new LocalBackend(store, "test")).time(time)
            .threads(CallerThreads.plain(Runnable::run)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);
    private final HoldSettings settings = ManagerDefaults.STANDARD.with(LockOptions.DEFAULTS);
    private final Context outside = Context.of("kept", "before", "deleted", "before", "changed", "before");

    @AfterEach
    void nothingIsLeft() {
        assertThat(engine.held()).isEmpty();
        assertThat(outside.keys()).as("holds").noneMatch(key -> key.startsWith("io.quarkiverse"));
        engine.close();
    }

    private static Uni<Integer> inContext(Consumer<Context> body) {
        return Uni.createFrom().item(1).withContext((uni, context) -> uni.invoke(() -> body.accept(context)));
    }

    private static void change(Context context) {
        context.put("new", "inside").put("changed", "inside").delete("deleted");
    }

    private void assertChanged() {
        assertThat(outside).isEqualTo(Context.of("kept", "before", "changed", "inside", "new", "inside"));
    }

    @Test
    void fault506_downstreamSeesContextChangesOfTheBody() {
        var seen = locks.lock("a").callAsync(() -> inContext(context -> context.put("k", "v")))
                .withContext((uni, context) -> uni.map(item -> context.getOrElse("k", () -> "nothing")))
                .subscribe().withSubscriber(UniAssertSubscriber.create());
        seen.assertItem("v");
    }

    @Test
    void fault506_changesByUniBodyReachTheCaller() {
        locks.lock("a").callAsync(() -> inContext(PipelineContextTest::change)).subscribe()
                .withSubscriber(UniAssertSubscriber.create(outside)).assertCompleted();
        assertChanged();
    }

    @Test
    void fault506_changesByNestedBodyReachTheCaller() {
        locks.lock("a").callAsync(() -> locks.lock("b").callAsync(() -> locks.lock("a")
                .callAsync(() -> inContext(PipelineContextTest::change)))).subscribe()
                .withSubscriber(UniAssertSubscriber.create(outside)).assertCompleted();
        assertChanged();
    }

    @Test
    void fault506_changesByFailingBodyReachTheCaller() {
        locks.lock("a").callAsync(() -> inContext(context -> {
            change(context);
            throw new IllegalStateException("not today");
        })).subscribe().withSubscriber(UniAssertSubscriber.create(outside)).assertFailedWith(IllegalStateException.class);
        assertChanged();
    }

    @Test
    void fault506_changesByBodyOfLostLockReachTheCaller() {
        var lost = locks.lock("a")
                .callAsync(() -> inContext(PipelineContextTest::change).chain(() -> Uni.createFrom().nothing()))
                .subscribe().withSubscriber(UniAssertSubscriber.create(outside));
        assertThat(locks.forceRelease("a")).isTrue();
        time.advance(Duration.ofMinutes(1));
        lost.assertFailedWith(LockLostException.class);
        assertChanged();
    }

    @Test
    void fault506_changesByMultiBodyReachTheCaller() {
        engine.pipelines().lockedMulti(A, settings, null, (held, pipeline) -> inContext(PipelineContextTest::change).toMulti())
                .subscribe().withSubscriber(AssertSubscriber.create(outside, 9)).assertCompleted();
        assertChanged();
    }

    /** The body does not overwrite concurrent changes. */
    @Test
    void fault506_concurrentContextChangesAreKept() {
        UniEmitter<?>[] end = new UniEmitter<?>[1];
        var working = locks.lock("a").callAsync(() -> Uni.createFrom().emitter(emitter -> end[0] = emitter)).subscribe()
                .withSubscriber(UniAssertSubscriber.create(outside));
        change(outside);
        end[0].complete(null);
        working.assertCompleted();
        assertChanged();
    }
}
