package io.quarkiverse.lock.zookeeper.runtime;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkus.tls.CertificateUpdatedEvent;
import io.quarkus.tls.TlsConfiguration;
import io.quarkus.tls.TlsConfigurationRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.SSLOptions;

/**
 * What Quarkus' TLS registry has under a name. The ZooKeeper client reads keys and certificates only from files, so it gets its
 * own files, with a password that nobody else knows. It reads them for each connection, so the next connection uses what the
 * registry has reloaded.
 */
@Singleton
public class RegistryTls implements TlsSource {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.lock.zookeeper");
    private static final String NO_VERIFICATION = "NONE";
    private static final List<String> KEY_TYPES = List.of("RSA", "RSASSA-PSS", "EC", "EdDSA", "DSA");

    private final TlsConfigurationRegistry registry;
    private final Vertx vertx;

    private @Nullable String name;
    private @Nullable StoreFiles files;

    RegistryTls(TlsConfigurationRegistry registry, Vertx vertx) {
        this.registry = registry;
        this.vertx = vertx;
    }

    @Override
    public synchronized void configure(String name, ZKClientConfig client) {
        TlsConfiguration tls = registry.get(name).orElseThrow(() -> Property.wrong("tls-configuration-name",
                "=" + name + ", but the TLS registry has no such configuration: set quarkus.tls." + name + ".*"));
        if (tls.isTrustAll()) {
            throw Property.wrong("tls-configuration-name", "=" + name + ", which trusts everybody (quarkus.tls." + name
                    + ".trust-all). The ZooKeeper client cannot do that: name a trust store with the servers' certificates");
        }
        SSLOptions options = tls.getSSLOptions();
        if (!options.getCrlPaths().isEmpty() || !options.getCrlValues().isEmpty()) {
            throw Property.wrong("tls-configuration-name", "=" + name
                    + ", which has a list of revoked certificates (quarkus.tls."
                    + name
                    + ".certificate-revocation-list). The ZooKeeper client cannot read it: name a configuration without one");
        }
        if (tls.getTrustStore() == null && tls.getTrustStoreOptions() != null) {
            throw Property.wrong("tls-configuration-name",
                    "=" + name + ", whose trust store cannot be copied for the ZooKeeper "
                            + "client, which would then trust what the JVM trusts: its getTrustStore() returns nothing");
        }
        this.name = name;
        if (files == null) {
            files = StoreFiles.make();
        }
        write(tls, files);
        try (ClientX509Util names = new ClientX509Util()) {
            if (files.trusted() != null) {
                client.setProperty(names.getSslTruststoreLocationProperty(), files.trusted());
                client.setProperty(names.getSslTruststorePasswdProperty(), files.password());
            }
            if (files.keys() != null) {
                client.setProperty(names.getSslKeystoreLocationProperty(), files.keys());
                client.setProperty(names.getSslKeystorePasswdProperty(), files.password());
            }
            if (!options.getEnabledSecureTransportProtocols().isEmpty()) {
                client.setProperty(names.getSslEnabledProtocolsProperty(),
                        String.join(",", options.getEnabledSecureTransportProtocols()));
            }
            if (!options.getEnabledCipherSuites().isEmpty()) {
                client.setProperty(names.getSslCipherSuitesProperty(), String.join(",", options.getEnabledCipherSuites()));
            }
            client.setProperty(names.getSslHostnameVerificationEnabledProperty(), String.valueOf(
                    !tls.getHostnameVerificationAlgorithm().orElse("").equalsIgnoreCase(NO_VERIFICATION)));
        }
    }

    @Override
    public boolean hasKey(String name) {
        return registry.get(name).filter(tls -> tls.getKeyStoreOptions() != null).isPresent();
    }

    /** The registry has reloaded it. */
    synchronized void updated(@Observes CertificateUpdatedEvent event) {
        if (files != null && event.name().equals(name)) {
            try {
                write(event.tlsConfiguration(), files);
            } catch (RuntimeException e) {
                // If thrown, it would keep the event from other observers, and nobody would log it
                LOG.error("The ZooKeeper client goes on with the keys and certificates that it had before", e);
            }
        }
    }

    private void write(TlsConfiguration tls, StoreFiles to) {
        try {
            if (tls.getTrustStore() != null) {
                to.trust(tls.getTrustStore());
            }
            KeyCertOptions keys = tls.getKeyStoreOptions();
            if (keys != null) {
                for (KeyManager each : keys.getKeyManagerFactory(vertx).getKeyManagers()) {
                    if (each instanceof X509KeyManager manager) {
                        copy(manager, to);
                    }
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException("quarkus.lock.zookeeper.tls-configuration-name=" + name
                    + ": its keys and certificates cannot be written to files for the ZooKeeper client", e);
        }
    }

    /** The key may have its own password, which the key manager knows. */
    private static void copy(X509KeyManager from, StoreFiles to) throws GeneralSecurityException {
        KeyStore keys = StoreFiles.empty();
        for (String type : KEY_TYPES) {
            String[] aliases = from.getClientAliases(type, null);
            for (String alias : aliases == null ? new String[0] : aliases) {
                keys.setKeyEntry(alias, from.getPrivateKey(alias), to.password().toCharArray(),
                        from.getCertificateChain(alias));
            }
        }
        if (keys.size() == 0) {
            throw new GeneralSecurityException("No key of a known type: " + KEY_TYPES);
        }
        to.keys(keys);
    }

    @PreDestroy
    synchronized void delete() {
        if (files != null) {
            files.delete();
        }
    }
}
