package io.quarkiverse.lock.spi;

/**
 * Watches all locks of this JVM. Every CDI bean of this type is called, whatever its qualifiers; an alternative, such as a mock
 * in a test, is called beside the others. What it throws is logged, and does not affect the lock.
 *
 * <pre>{@code
 * @Singleton
 * class LossCounter implements LockListener {
 *
 *     final LongAdder losses = new LongAdder();
 *
 *     public void onEvent(LockEvent event) {
 *         if (event.kind() == LockEvent.Kind.LOST) {
 *             losses.increment();
 *         }
 *     }
 * }
 * }</pre>
 */
@FunctionalInterface
public interface LockListener {

    /** Called on the thread where the event happens, perhaps a user's, an event loop or a timer: must not block. */
    void onEvent(LockEvent event);
}
