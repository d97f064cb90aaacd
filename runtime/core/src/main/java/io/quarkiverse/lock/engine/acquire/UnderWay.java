package io.quarkiverse.lock.engine.acquire;

/** An operation whose outcome comes later, unless it is cancelled. */
interface UnderWay {

    /** Gives up and returns what it has taken; {@code false} if the outcome is on its way, or if it was already cancelled. */
    boolean cancel();
}
