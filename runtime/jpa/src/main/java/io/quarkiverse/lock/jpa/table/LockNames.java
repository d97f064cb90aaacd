package io.quarkiverse.lock.jpa.table;

/** The names of one namespace, as the tables store them. */
public final class LockNames {

    private final String namespace;
    private final String readableNamespace;

    public LockNames(String namespace) {
        this.namespace = namespace;
        // The namespace must not contain its terminator, or a and b:x would look like a:b and x
        this.readableNamespace = namespace.replace(":", "\\u003a") + ":";
    }

    /** The key of the name's row. */
    public String id(String name) {
        return Ids.of(namespace, name);
    }

    /** For people who look at the table. */
    public String readable(String name) {
        return Ids.readable(readableNamespace + name);
    }
}
