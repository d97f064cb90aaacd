package io.quarkiverse.lock.sale;

import java.util.Locale;

/** Where the locks of the shop are; its stock is in Redis with each of them. */
enum Backend {
    REDIS("quarkus-app"),
    /** A Redis with a replica and three sentinels. */
    SENTINEL("quarkus-app"),
    /** The same, where nobody is granted a lock for a while after a fail-over. */
    GRACE("quarkus-app"),
    ZOOKEEPER("on-zookeeper"),
    H2("on-h2"),
    POSTGRESQL("on-postgresql");

    /** Below {@code target}: a backend is chosen when the application is built, so there is one for each. */
    final String application;

    Backend(String application) {
        this.application = application;
    }

    static Backend named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
