package io.quarkiverse.lock.sale;

import java.util.Locale;

/** Where the locks of the shop are; its stock is always in Redis. */
enum Backend {
    REDIS("quarkus-app"),
    /** A Redis with a replica and three sentinels. */
    SENTINEL("quarkus-app"),
    /** The same, but no lock is granted for a while after a fail-over. */
    GRACE("quarkus-app"),
    ZOOKEEPER("on-zookeeper"),
    H2("on-h2"),
    POSTGRESQL("on-postgresql");

    /** Below {@code target}: a backend is chosen when the application is built, so each has its own application. */
    final String application;

    Backend(String application) {
        this.application = application;
    }

    static Backend named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
