package io.quarkiverse.lock.spi;

/**
 * Makes the backend when the application starts. A backend's extension brings one as a CDI bean; only that of a chosen backend
 * becomes part of the application.
 */
public interface LockBackendProvider {

    /** The backend's name in {@code quarkus.lock.backend}. */
    String name();

    /**
     * Makes the backend; no I/O here or until {@link LockBackend#start}.
     *
     * @param namespace prefixes all the backend stores ({@code quarkus.lock.namespace})
     * @param owner describes this JVM to people ({@code quarkus.lock.owner})
     */
    LockBackend create(String namespace, String owner);
}
