package io.quarkiverse.lock.spi.support;

/**
 * For a {@link io.quarkiverse.lock.spi.LockBackend} whose client brings all answers of the store on one thread, if code of the
 * application may run there, too. A caller that waited there would wait for itself, and so would everybody else: a call that
 * blocks is refused there, as on an event loop.
 *
 * <pre>{@code
 * public boolean onAnsweringThread() {
 *     return Thread.currentThread() == client.eventThread();
 * }
 * }</pre>
 */
public interface AnsweringThread {

    /** Whether the current thread is that thread. Must be quick. */
    boolean onAnsweringThread();
}
