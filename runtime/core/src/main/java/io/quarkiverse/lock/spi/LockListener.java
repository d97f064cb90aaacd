package io.quarkiverse.lock.spi;

/** Watches all locks of this JVM. It cannot break locking: what it throws is logged. */
@FunctionalInterface
public interface LockListener {

    /** Called on the thread where the event happens, perhaps a user's, an event loop or a timer: must not block. */
    void onEvent(LockEvent event);
}
