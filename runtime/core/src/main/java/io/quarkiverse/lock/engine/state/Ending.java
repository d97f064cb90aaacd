package io.quarkiverse.lock.engine.state;

/** How a hold ended, if it was not simply released. */
sealed interface Ending permits Refusal, Ending.Loss {

    /** @param message of the {@link io.quarkiverse.lock.LockLostException}s */
    record Loss(String message) implements Ending {
    }
}
