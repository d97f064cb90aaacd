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

    /**
     * Describes the place where the locks are kept, as configured: nodes share locks only if they keep them in the same place.
     * It is logged when the application starts, so that people can compare nodes. On one line, the same on each node, and
     * without credentials. Called after {@link #create}; no I/O here. The default says nothing. A failure stops nobody: then
     * nothing is said either.
     *
     * <pre>{@code
     * public String place() {
     *     return config.host() + ':' + config.port() + ", key prefix '" + config.keyPrefix() + "'";
     * }
     * }</pre>
     *
     * @return such as {@code redis.example:6379/0, key prefix 'lock:'}; empty if there is nothing to say
     */
    default String place() {
        return "";
    }
}
