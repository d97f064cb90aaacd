package io.quarkiverse.lock.spi.support;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.LockQuery;

/** What a backend says of the names of its lists. Thread-safe. */
public final class ListedNames {

    private final Logger log;
    private final AtomicBoolean said = new AtomicBoolean();

    /** @param category whose log tells that a name is left out */
    public ListedNames(Class<?> category) {
        log = Logger.getLogger(category);
    }

    /** What messages call the names that a query asks for: {@code order-*}. */
    public static String of(LockQuery query) {
        return query.prefix() + "*";
    }

    /**
     * Warns that a name is left out of a list because its record cannot be read, which must not hide the others. Only the
     * first time, since operators ask for lists again and again; later ones are logged at {@code DEBUG}.
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
