package io.quarkiverse.lock.spi;

import io.smallrye.mutiny.Context;

/**
 * Whether the thread that subscribes to a backend's {@code Uni} would only wait for the outcome next, for as long as an
 * operation may take. A backend with a blocking client can then save a thread and two thread switches.
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

    /** The context of a subscriber whose thread waits. It contains nothing else, and nothing may be added. */
    public static final Context CONTEXT = Context.of(CallerWaits.class, true);

    private CallerWaits() {
    }

    public static boolean in(Context context) {
        return context == CONTEXT;
    }
}
