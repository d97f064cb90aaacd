package io.quarkiverse.lock.spi.support;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.LockQuery;

/** What a backend reports about the names in its lists. Thread-safe. */
public final class ListedNames {

    private final Logger log;
    private final AtomicBoolean said = new AtomicBoolean();

    /** @param category the logger that reports a name left out */
    public ListedNames(Class<?> category) {
        log = Logger.getLogger(category);
    }

    /** How messages refer to the names of a query: {@code order-*}. */
    public static String of(LockQuery query) {
        return query.prefix() + "*";
    }

    /**
     * What a list fails with whose continuation no page of this backend has ended at.
     *
     * @param where that its locks are: {@code in Redis}
     */
    public static IllegalArgumentException foreignContinuation(String where) {
        return new IllegalArgumentException("This continuation does not come from a list of locks " + where
                + ": start again without a continuation");
    }

    /**
     * Warns that a name is left out of a list because its record cannot be read, which must not hide the others. Warns only
     * once, since operators list locks repeatedly; later cases are logged at {@code DEBUG}.
     *
     * @param why its message names the lock
     */
    public void leftOut(Throwable why) {
        if (said.compareAndSet(false, true)) {
            log.warnf("A lock is left out of the list, and so are others like it from now on: %s", why.getMessage());
        } else {
            log.debugf("A lock is left out of the list: %s", why.getMessage());
        }
    }
}
