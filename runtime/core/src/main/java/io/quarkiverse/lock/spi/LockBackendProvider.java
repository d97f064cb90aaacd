package io.quarkiverse.lock.spi;

/**
 * Creates the backend when the application starts. A backend's extension provides one as a CDI bean; only that of a chosen
 * backend becomes part of the application.
 */
public interface LockBackendProvider {

    /** The backend's name in {@code quarkus.lock.backend}. */
    String name();

    /**
     * Creates the backend; no I/O here or until {@link LockBackend#start}.
     *
     * @param namespace prefixes everything the backend stores ({@code quarkus.lock.namespace})
     * @param owner describes this JVM to people ({@code quarkus.lock.owner})
     */
    LockBackend create(String namespace, String owner);
}
