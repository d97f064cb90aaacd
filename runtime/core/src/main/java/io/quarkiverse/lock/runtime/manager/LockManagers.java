package io.quarkiverse.lock.runtime.manager;

/** Names of managers, and of their properties. */
public final class LockManagers {

    /** The name of the default manager, where one is needed. */
    public static final String DEFAULT = "<default>";

    /** What is wrong with a configuration that names it; such settings would silently replace those that messages name. */
    public static final String NAMED_DEFAULT = "quarkus.lock.managers.\"" + DEFAULT + "\".* names no lock manager: the default "
            + "manager is configured by quarkus.lock.*";

    private static final String PREFIX = "quarkus.lock.";

    private LockManagers() {
    }

    /** The full name of a manager's property, for messages. */
    public static String property(String manager, String key) {
        if (DEFAULT.equals(manager)) {
            return PREFIX + key;
        }
        boolean plain = manager.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-' || c == '_');
        return PREFIX + "managers." + (plain ? manager : '"' + manager + '"') + '.' + key;
    }
}
