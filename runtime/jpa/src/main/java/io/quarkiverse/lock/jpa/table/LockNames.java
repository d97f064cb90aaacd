package io.quarkiverse.lock.jpa.table;

/** The names of one namespace, as the tables have them. */
public final class LockNames {

    private final String namespace;

    public LockNames(String namespace) {
        this.namespace = namespace;
    }

    /** The key of the name's row. */
    public String id(String name) {
        return Ids.of(namespace, name);
    }

    /** For people who look at the table. */
    public String readable(String name) {
        return Ids.readable(namespace + ":" + name);
    }
}
