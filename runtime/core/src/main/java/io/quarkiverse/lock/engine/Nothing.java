package io.quarkiverse.lock.engine;

import io.smallrye.mutiny.Uni;

/** The {@code Uni} of work that is already done. */
final class Nothing {

    static final Uni<Void> UNI = Uni.createFrom().voidItem();

    private Nothing() {
    }
}
