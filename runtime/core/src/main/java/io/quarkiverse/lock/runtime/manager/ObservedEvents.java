package io.quarkiverse.lock.runtime.manager;

/** Which of the CDI events the application has asynchronous observers for. */
public record ObservedEvents(boolean acquired, boolean released, boolean lost, boolean busy,
        boolean releaseRequested) {

    boolean any() {
        return acquired || released || lost || busy || releaseRequested;
    }
}
