package io.quarkiverse.lock.name;

/** Makes a lock's name from a method's arguments. Implemented by the classes to which templates are compiled. */
@FunctionalInterface
public interface LockName {

    /**
     * @param parameters the method's arguments
     * @throws IllegalArgumentException if a part of the name is {@code null}
     */
    String of(Object[] parameters);
}
