package io.quarkiverse.lock.engine.state;

import io.quarkiverse.lock.spi.LockEvent;

/** Names of the properties of lock managers, as messages tell them. */
public final class ManagerProperty {

    private static final String PREFIX = "quarkus.lock.";

    private ManagerProperty() {
    }

    /** The full name of a manager's property. */
    public static String of(String manager, String key) {
        if (LockEvent.DEFAULT_MANAGER.equals(manager)) {
            return PREFIX + key;
        }
        boolean plain = manager.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-' || c == '_');
        return PREFIX + "managers." + (plain ? manager : '"' + manager + '"') + '.' + key;
    }
}
