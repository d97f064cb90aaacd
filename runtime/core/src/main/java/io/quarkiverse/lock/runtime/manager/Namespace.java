package io.quarkiverse.lock.runtime.manager;

import java.util.Collection;
import java.util.Optional;
import java.util.Set;

import org.jboss.logging.Logger;

import io.quarkiverse.lock.runtime.config.LockRuntimeConfig;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Keeps the locks of this application apart from those of others in the same store. Defaults to the application's name: two
 * applications that happen to use the same lock names must not wait for each other.
 */
final class Namespace {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock");
    private static final String WITHOUT_NAME = "quarkus-lock";

    private Namespace() {
    }

    /** @param backends the backends in use */
    static String choose(LockRuntimeConfig config, Collection<String> backends) {
        if (config.namespace().isPresent()) {
            return config.namespace().get();
        }
        Optional<String> application = ApplicationName.find();
        String namespace = application.orElse(WITHOUT_NAME);
        // locks inside one JVM are never shared, whatever the namespace
        if (!Set.of(LocalBackendProvider.NAME).containsAll(backends)) {
            LOG.infof("quarkus.lock.namespace is not set: locks are in the namespace '%s', %s. Only applications with the same "
                    + "namespace on the same store exclude each other: set the property to the same value in those that should",
                    PrintableName.of(namespace),
                    application.isPresent() ? "the application's name" : "since the application has no name");
        }
        return namespace;
    }
}
