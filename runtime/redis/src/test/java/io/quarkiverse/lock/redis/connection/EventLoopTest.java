package io.quarkiverse.lock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** The event loop is private, no matter which thread uses it first. */
class EventLoopTest {

    private final EventLoop loop = new EventLoop();
    private final Vertx theirs = Vertx.vertx();

    @AfterEach
    void close() {
        loop.run(loop::close);
        theirs.close();
    }

    private record Place(Thread thread, Context context) {

        static Place now() {
            return new Place(Thread.currentThread(), Vertx.currentContext());
        }
    }

    @Test
    void callerWithoutContextGetsPrivateEventLoop() throws Exception {
        assertOurs(Place.now());
    }

    @Test
    void callerOnEventLoopGetsPrivateEventLoop() throws Exception {
        CompletableFuture<Place> caller = new CompletableFuture<>();
        theirs.getOrCreateContext().runOnContext(ignored -> firstUse(caller));
        assertOurs(caller.get(30, TimeUnit.SECONDS));
    }

    @Test
    void callerOnWorkerGetsPrivateEventLoop() throws Exception {
        CompletableFuture<Place> caller = new CompletableFuture<>();
        theirs.executeBlocking(() -> {
            firstUse(caller);
            return null;
        });
        assertOurs(caller.get(30, TimeUnit.SECONDS));
    }

    private void firstUse(CompletableFuture<Place> caller) {
        loop.vertx();
        caller.complete(Place.now());
    }

    private void assertOurs(Place caller) throws Exception {
        CompletableFuture<Place> run = new CompletableFuture<>();
        loop.run(() -> run.complete(Place.now()));
        Place place = run.get(30, TimeUnit.SECONDS);
        assertThat(place.thread()).isNotSameAs(caller.thread());
        assertThat(place.context()).isNotSameAs(caller.context());
        assertThat(place.context().isEventLoopContext()).isTrue();
        assertThat(place.context().owner()).isSameAs(loop.vertx()).isNotSameAs(theirs);
    }
}
