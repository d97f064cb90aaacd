package io.quarkiverse.lock.engine.queue;

import io.smallrye.mutiny.Uni;

/** The {@code Uni} of work that is already done. */
public final class Nothing {

    public static final Uni<Void> UNI = Uni.createFrom().voidItem();

    private Nothing() {
    }
}
