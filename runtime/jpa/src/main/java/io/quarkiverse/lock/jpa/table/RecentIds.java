package io.quarkiverse.lock.jpa.table;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of names that are in use: to hash one is a good part of what an uncontended lock costs in this JVM. */
public final class RecentIds {

    private static final int REMEMBERED = 1_000;

    private final String namespace;
    private final Map<String, String> ids = new ConcurrentHashMap<>();

    public RecentIds(String namespace) {
        this.namespace = namespace;
    }

    public String of(String name) {
        String known = ids.get(name);
        if (known != null) {
            return known;
        }
        String id = Ids.of(namespace, name);
        if (ids.size() >= REMEMBERED) {
            ids.clear();
        }
        ids.put(name, id);
        return id;
    }
}
