package io.quarkiverse.lock.testkit.faults;

import java.util.List;

import io.quarkiverse.lock.spi.LockBackend;

/**
 * Creates the backend under test in a separate JVM. Public, with a public constructor without parameters.
 *
 * <pre>{@code
 * public class MyChildBackend implements ChildBackend {
 *     public LockBackend backend(String owner, List<String> arguments) {
 *         return new MyBackend(arguments.get(0), owner);
 *     }
 * }
 * }</pre>
 */
@FunctionalInterface
public interface ChildBackend {

    /**
     * A new client of the store, not started.
     *
     * @param owner a human-readable description of the JVM
     * @param arguments what the environment has passed on, such as the store's address
     */
    LockBackend backend(String owner, List<String> arguments);

    /** The claims it still has when nobody holds or waits for anything. */
    default List<String> leftovers(LockBackend backend) throws Exception {
        return List.of();
    }

    /**
     * Something that can only be done from inside its JVM, such as ending a session.
     *
     * @param what the environment's name for it
     */
    default void deed(LockBackend backend, String what) throws Exception {
        throw new IllegalArgumentException(what);
    }

    /** What an environment passes to a separate JVM so that it finds the store. */
    record Spec(Class<? extends ChildBackend> factory, List<String> arguments) {
    }
}
