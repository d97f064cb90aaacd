package io.quarkiverse.lock.zookeeper.runtime;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.Configuration;
import javax.security.auth.spi.LoginModule;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.jspecify.annotations.Nullable;

/** How the ZooKeeper client communicates: SASL and TLS, as that client's own properties. */
final class Transport {

    private static final String NETTY = "org.apache.zookeeper.ClientCnxnSocketNetty";

    private Transport() {
    }

    static ZKClientConfig of(ZooKeeperLockConfig config, OtherExtensions extensions) {
        ZKClientConfig client = new ZKClientConfig();
        sasl(config.sasl(), client);
        if (config.tlsConfigurationName().isPresent()) {
            named(config.tlsConfigurationName().get(), config.tls(), extensions, client);
        } else if (enabled(config.tls())) {
            tls(config.tls(), client);
        } else if (config.tls().enabled().isEmpty()) {
            plainByDefault(config.tls());
        }
        return client;
    }

    /** Whether the client presents a certificate; servers may take that for an identity. */
    static boolean hasCertificate(ZooKeeperLockConfig config, OtherExtensions extensions) {
        Optional<String> name = config.tlsConfigurationName();
        return name.isPresent() ? extensions.tls().get().filter(tls -> tls.hasKey(name.get())).isPresent()
                : enabled(config.tls()) && config.tls().keyStore().isPresent();
    }

    private static boolean enabled(ZooKeeperLockConfig.Tls config) {
        return config.enabled().orElse(false);
    }

    private static void named(String name, ZooKeeperLockConfig.Tls besides, OtherExtensions extensions, ZKClientConfig client) {
        String store = store(besides);
        if (store != null) {
            throw Property.wrong("tls-configuration-name",
                    "=" + name + ", but " + Property.PREFIX + store + " is set as well; remove one of them");
        }
        TlsSource source = extensions.tls().get().orElseThrow(() -> Property.wrong("tls-configuration-name", "=" + name
                + ", but this application has no TLS registry: add the extension quarkus-tls-registry"));
        overNetty(client);
        source.configure(name, client);
    }

    /** Refuses stores that would do nothing, unless that is on purpose: the connection would be taken for a secure one. */
    private static void plainByDefault(ZooKeeperLockConfig.Tls unused) {
        String store = store(unused);
        if (store != null) {
            throw Property.wrong(store, " is set, but TLS is off: set " + Property.PREFIX
                    + "tls.enabled=true, or say tls.enabled=false to connect in plain text");
        }
    }

    /** The property with the trust store, or else the one with the key store, if any is set. */
    private static @Nullable String store(ZooKeeperLockConfig.Tls config) {
        return config.trustStore().isPresent() ? "tls.trust-store"
                : config.keyStore().isPresent() ? "tls.key-store" : null;
    }

    private static void overNetty(ZKClientConfig client) {
        client.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        // The other socket has no TLS
        client.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, NETTY);
    }

    private static void sasl(ZooKeeperLockConfig.Sasl config, ZKClientConfig client) {
        // Set in both cases: by itself the client tries SASL as soon as the JVM has any JAAS configuration
        client.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, String.valueOf(config.enabled()));
        if (config.enabled()) {
            checkSection(config.loginContext());
            checkModules();
            client.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, config.loginContext());
            client.setProperty(ZKClientConfig.ZK_SASL_CLIENT_USERNAME, config.serverName());
        }
    }

    /** Without it the ZooKeeper client logs a warning and goes on without an identity. */
    private static void checkSection(String section) {
        AppConfigurationEntry[] entries;
        try {
            entries = Configuration.getConfiguration().getAppConfigurationEntry(section);
        } catch (SecurityException e) {
            throw Property.wrong("sasl.enabled", "=true, but the JVM's JAAS configuration cannot be read ("
                    + e.getMessage() + "); set -Djava.security.auth.login.config=<file>");
        }
        if (entries == null) {
            throw Property.wrong("sasl.login-context", "=" + section + ", but the JVM's JAAS configuration has no such "
                    + "section; check the file in -Djava.security.auth.login.config");
        }
        for (AppConfigurationEntry each : entries) {
            checkModule(section, each.getLoginModuleName());
        }
    }

    /** The ZooKeeper client reconnects forever if a login ends with an error instead of an exception. */
    private static void checkModule(String section, String module) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        try {
            // Found as by the login itself, which is left to initialize the class
            Class.forName(module, false, loader == null ? ClassLoader.getSystemClassLoader() : loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw Property.wrong("sasl.login-context", "=" + section + ", but the login module " + module
                    + " that this section of the JVM's JAAS configuration names cannot be loaded (" + e
                    + "); add what is missing to the class path, or correct the section");
        }
    }

    /**
     * Each login makes the JVM look for all modules, and fails if a registered one is missing. The ZooKeeper client then
     * reconnects forever.
     */
    private static void checkModules() {
        try {
            ServiceLoader.load(LoginModule.class).stream().forEach(ServiceLoader.Provider::type);
        } catch (ServiceConfigurationError | LinkageError e) { // the latter if a superclass is missing
            throw Property.wrong("sasl.enabled", "=true, but the JVM cannot log in: " + e
                    + "; remove what registers this login module from the class path, or add the class");
        }
    }

    private static void tls(ZooKeeperLockConfig.Tls config, ZKClientConfig client) {
        overNetty(client);
        try (ClientX509Util names = new ClientX509Util()) {
            file("tls.trust-store", config.trustStore(), names.getSslTruststoreLocationProperty(), client);
            config.trustStorePassword().ifPresent(it -> client.setProperty(names.getSslTruststorePasswdProperty(), it));
            file("tls.key-store", config.keyStore(), names.getSslKeystoreLocationProperty(), client);
            config.keyStorePassword().ifPresent(it -> client.setProperty(names.getSslKeystorePasswdProperty(), it));
            client.setProperty(names.getSslHostnameVerificationEnabledProperty(), String.valueOf(config.verifyHostname()));
        }
    }

    private static void file(String property, Optional<String> file, String name, ZKClientConfig client) {
        if (file.isEmpty()) {
            return;
        }
        if (!Files.isReadable(Path.of(file.get()))) {
            throw Property.wrong(property, "=" + file.get() + ", but there is no such file that this process can read");
        }
        client.setProperty(name, file.get());
    }
}
