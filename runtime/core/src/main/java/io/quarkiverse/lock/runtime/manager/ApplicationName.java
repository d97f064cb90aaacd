package io.quarkiverse.lock.runtime.manager;

import java.util.Optional;

import org.eclipse.microprofile.config.ConfigProvider;

/** What this application is called, if anything. */
final class ApplicationName {

    private ApplicationName() {
    }

    static Optional<String> find() {
        return ConfigProvider.getConfig().getOptionalValue("quarkus.application.name", String.class);
    }
}
