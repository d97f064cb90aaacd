package io.quarkiverse.lock.engine.acquire;

/** Something that brings an outcome later, unless it is cancelled. */
interface UnderWay {

    /** Gives up and gives back what is there; {@code false} if the outcome is on its way, or if it was cancelled before. */
    boolean cancel();
}
