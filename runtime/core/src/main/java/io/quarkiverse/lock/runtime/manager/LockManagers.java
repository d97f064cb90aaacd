package io.quarkiverse.lock.runtime.manager;

import io.quarkiverse.lock.engine.state.ManagerProperty;
import io.quarkiverse.lock.spi.LockEvent;

/** Names of managers, and of their properties. */
public final class LockManagers {

    /** The name of the default manager, where one is needed. */
    public static final String DEFAULT = LockEvent.DEFAULT_MANAGER;

    /** What the properties of the other managers begin with, before the manager's name. */
    public static final String PREFIX = "quarkus.lock.managers.";

    /** What is wrong with a configuration that names it; such settings would silently replace those that messages name. */
    public static final String NAMED_DEFAULT = PREFIX + '"' + DEFAULT + "\".* names no lock manager: the default "
            + "manager is configured by quarkus.lock.*";

    private LockManagers() {
    }

    /** The full name of a manager's property, for messages. */
    public static String property(String manager, String key) {
        return ManagerProperty.of(manager, key);
    }
}
