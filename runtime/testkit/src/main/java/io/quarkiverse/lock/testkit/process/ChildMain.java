package io.quarkiverse.lock.testkit.process;

/**
 * What a {@link ChildJvm} runs. Needs a constructor without parameters.
 *
 * <pre>{@code
 * public class Holder implements ChildMain {
 *     public String handle(String request, Child child) {
 *         LockHandle hold = locks.lock(request).acquire();
 *         hold.onLost(() -> child.event("lost " + request));
 *         return Long.toString(hold.fencingToken());
 *     }
 * }
 * }</pre>
 */
public interface ChildMain {

    /**
     * Answers one request of the parent. Each runs on its own thread, so that one may wait while others are answered.
     *
     * @throws Exception anything; the parent gets a {@link ChildFailure} with its text
     */
    String handle(String request, Child child) throws Exception;

    /** Called before the first request. */
    default void start(String[] arguments, Child child) throws Exception {
    }

    /** The way back to the parent. */
    interface Child {

        /** Reports an event to the parent, stamped with {@link System#nanoTime}. */
        void event(String text);
    }
}
