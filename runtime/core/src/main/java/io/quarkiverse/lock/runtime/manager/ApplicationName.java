package io.quarkiverse.lock.runtime.manager;

import java.util.Optional;

import org.eclipse.microprofile.config.ConfigProvider;

/** The name of this application, if it has one. */
final class ApplicationName {

    private ApplicationName() {
    }

    static Optional<String> find() {
        return ConfigProvider.getConfig().getOptionalValue("quarkus.application.name", String.class);
    }
}
