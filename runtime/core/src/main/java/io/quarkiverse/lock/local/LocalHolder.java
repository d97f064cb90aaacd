package io.quarkiverse.lock.local;

import io.quarkiverse.lock.spi.Grant;

/** A grant in the store. Guarded by the store. */
final class LocalHolder {

    Grant grant;
    LocalBackend backend;
    long grantedAt;
    long expiresAt;
    /** Somebody has asked for its release. */
    boolean asked;
    /** It has finished, and the name merely stays taken for a while. */
    boolean kept;
}
