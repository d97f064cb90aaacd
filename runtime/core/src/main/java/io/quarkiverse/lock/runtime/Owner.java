package io.quarkiverse.lock.runtime;

import org.eclipse.microprofile.config.ConfigProvider;

import io.smallrye.common.net.HostName;

/** Describes this JVM to people. */
final class Owner {

    private Owner() {
    }

    static String describe() {
        String application = ConfigProvider.getConfig().getOptionalValue("quarkus.application.name", String.class)
                .orElse("application");
        return application + '@' + HostName.getHostName() + ':' + ProcessHandle.current().pid();
    }
}
