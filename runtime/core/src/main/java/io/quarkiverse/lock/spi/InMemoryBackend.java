package io.quarkiverse.lock.spi;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockLostException;

/** A backend that can answer without I/O, and so needs no {@code Uni} when nobody is in the way. */
public interface InMemoryBackend extends LockBackend {

    /** The grant if the name is free and nobody waits for it; {@code null} to make the engine {@link #acquire}. */
    @Nullable
    Grant acquireNow(Claim claim);

    /**
     * {@link #release}, done when this returns.
     *
     * @throws LockLostException if the grant was gone too early
     */
    void releaseNow(Grant grant);
}
