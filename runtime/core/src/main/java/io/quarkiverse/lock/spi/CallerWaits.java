package io.quarkiverse.lock.spi;

import io.smallrye.mutiny.Context;

/**
 * Whether the thread that subscribes to what a backend returns would only wait for the outcome next, for as long as an
 * operation may take. A backend whose client blocks can then spare itself a thread, and two changes of threads.
 *
 * <pre>{@code
 * public void subscribe(UniSubscriber<? super Answer> subscriber) {
 *     if (CallerWaits.in(subscriber.context())) {
 *         // ask the server here and now, for at most the operation timeout
 *     }
 * }
 * }</pre>
 */
public final class CallerWaits {

    /** The context of a subscriber whose thread waits; nothing else is in it, and nothing is to be put into it. */
    public static final Context CONTEXT = Context.of(CallerWaits.class, true);

    private CallerWaits() {
    }

    public static boolean in(Context context) {
        return context == CONTEXT;
    }
}
