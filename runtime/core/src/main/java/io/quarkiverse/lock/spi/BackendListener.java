package io.quarkiverse.lock.spi;

/**
 * The engine, as a backend sees it. All methods can be called from any thread, return quickly, and ignore what they do not
 * know.
 */
public interface BackendListener {

    /**
     * The grant may be gone; the backend is trying to find out. It stays valid until its deadline, which is no later than the
     * current {@link Grant#leaseNanos} after the last renewal.
     */
    void suspect(Grant grant);

    /** The grant is gone, so the hold is lost now. */
    void lost(Grant grant, String reason);

    /** Whether other JVMs wait for the grant's name. This decides how long it may be handed on inside this JVM. */
    void waiters(Grant grant, boolean some);

    /**
     * Somebody asks for the grant's name, see {@link LockBackend#requestRelease}. May be called repeatedly: the holder is told
     * once.
     */
    void releaseRequested(Grant grant);

    /** The connection was lost and is back, or the server has changed: all grants must be renewed at once. */
    void recheck();
}
