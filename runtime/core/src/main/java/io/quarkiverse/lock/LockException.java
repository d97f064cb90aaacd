package io.quarkiverse.lock;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.text.PrintableName;

/** Something went wrong with a lock; the subclasses say what. */
public class LockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String name;

    /**
     * @param name the lock's name
     * @param message shown as {@link PrintableName#oneLine one line}, whatever names, owners and server messages it contains
     */
    public LockException(String name, String message, @Nullable Throwable cause) {
        super(PrintableName.oneLine(message), cause);
        this.name = name;
    }

    /** The lock's name. */
    public String lockName() {
        return name;
    }
}
