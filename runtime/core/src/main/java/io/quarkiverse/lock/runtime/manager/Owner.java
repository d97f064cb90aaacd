package io.quarkiverse.lock.runtime.manager;

import io.smallrye.common.net.HostName;

/** Describes this JVM to people. */
final class Owner {

    private Owner() {
    }

    static String describe() {
        String application = ApplicationName.find().orElse("application");
        return application + '@' + HostName.getHostName() + ':' + ProcessHandle.current().pid();
    }
}
