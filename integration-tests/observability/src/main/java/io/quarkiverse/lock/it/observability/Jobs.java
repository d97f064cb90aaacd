package io.quarkiverse.lock.it.observability;

import java.util.concurrent.CountDownLatch;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.lock.Locked;
import io.smallrye.mutiny.Multi;

/** Jobs that last until they are told to end. */
@ApplicationScoped
public class Jobs {

    private volatile CountDownLatch end = new CountDownLatch(1);

    @Locked("job-{id}")
    void once(int id) {
    }

    @Locked(value = "long-{id}", waitFor = "0s")
    void atOnce(int id) {
    }

    @Locked(value = "long-{id}", waitFor = "0s")
    Multi<String> parts(int id) {
        return Multi.createFrom().items("one", "two");
    }

    @Locked("lost-{id}")
    void under(int id, Runnable body) {
        body.run();
    }

    @Locked(value = "long-{id}", waitFor = "2m")
    void untilTold(int id, Runnable begun) throws InterruptedException {
        CountDownLatch told = end; // before anybody can end it
        begun.run();
        told.await();
    }

    void end() {
        CountDownLatch ended = end;
        end = new CountDownLatch(1);
        ended.countDown();
    }

    @Locked(value = "short-{id}", manager = "here")
    void here(int id) {
    }

    @Locked(value = "node-{id}", manager = "nodes")
    void nodes(int id) {
    }

    @Locked(value = "row-{id}", manager = "rows")
    void rows(int id) {
    }
}
