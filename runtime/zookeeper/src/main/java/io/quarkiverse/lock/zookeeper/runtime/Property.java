package io.quarkiverse.lock.zookeeper.runtime;

import java.util.Set;

import io.quarkus.runtime.configuration.ConfigurationException;

/** Properties that can be wrong, by their full names. */
final class Property {

    static final String PREFIX = "quarkus.lock.zookeeper.";

    private Property() {
    }

    /**
     * @param name without the prefix
     * @param problem what is wrong with it, and what to do; comes after the name
     */
    static ConfigurationException wrong(String name, String problem) {
        String property = PREFIX + name;
        return new ConfigurationException(property + problem, Set.of(property));
    }
}
