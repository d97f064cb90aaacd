package io.quarkiverse.lock.local;

import io.quarkiverse.lock.spi.Answer;
import io.quarkiverse.lock.spi.Claim;
import io.smallrye.mutiny.subscription.UniEmitter;

/** A claim that waits in the store. */
record LocalClaim(LocalBackend backend, Claim claim, UniEmitter<? super Answer> emitter) {
}
