package io.quarkiverse.lock.it.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

import javax.security.auth.spi.LoginModule;

/** The classes that a SASL login looks up by name. */
final class Logins {

    private Logins() {
    }

    /** The reader of the JAAS file, the module that it names, and those of the JDK: each login loads all of them. */
    static Set<String> classes() {
        var classes = new TreeSet<String>();
        ServiceLoader.load(LoginModule.class, ClassLoader.getPlatformClassLoader()).stream()
                .forEach(provider -> classes.add(provider.type().getName()));
        assertThat(classes).hasSizeGreaterThan(3);
        classes.add("org.apache.zookeeper.server.auth.DigestLoginModule");
        classes.add("sun.security.provider.ConfigFile");
        return classes;
    }
}
