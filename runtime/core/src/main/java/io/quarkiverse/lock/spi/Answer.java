package io.quarkiverse.lock.spi;

/** A backend's answer to a claim. */
public sealed interface Answer permits Grant, Busy {
}
