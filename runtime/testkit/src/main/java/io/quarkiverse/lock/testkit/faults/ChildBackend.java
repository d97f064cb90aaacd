package io.quarkiverse.lock.testkit.faults;

import java.util.List;

import io.quarkiverse.lock.spi.LockBackend;

/**
 * Makes the backend under test in a JVM of its own. Public, with a public constructor without parameters.
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
     * @param owner describes the JVM to people
     * @param arguments what the environment has sent along, such as the store's address
     */
    LockBackend backend(String owner, List<String> arguments);

    /** What it still has of claims, when nobody holds or waits for anything. */
    default List<String> leftovers(LockBackend backend) throws Exception {
        return List.of();
    }

    /**
     * Something that can only be done to it from inside its JVM, such as the end of a session.
     *
     * @param what as the environment calls it
     */
    default void deed(LockBackend backend, String what) throws Exception {
        throw new IllegalArgumentException(what);
    }

    /** What an environment gives a JVM of its own so that it finds the store. */
    record Spec(Class<? extends ChildBackend> factory, List<String> arguments) {
    }
}
