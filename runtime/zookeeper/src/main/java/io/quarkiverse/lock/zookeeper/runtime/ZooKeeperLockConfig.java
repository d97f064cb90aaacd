package io.quarkiverse.lock.zookeeper.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigDocSection;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/**
 * Locks in ZooKeeper. An application with its own {@code CuratorFramework} bean needs only the last five of these, and an
 * identity to list locks whose ACL requires one.
 */
@ConfigMapping(prefix = "quarkus.lock.zookeeper")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface ZooKeeperLockConfig {

    /**
     * The servers: {@code host:port,host:port,host:port}. A path at the end, as in {@code host:port/applications}, becomes the
     * root of everything this client sees.
     */
    Optional<String> connectString();

    /**
     * How long the servers keep this JVM's locks when they do not hear from it. The servers may grant less or more: between
     * 2 and 20 of their ticks unless configured otherwise.
     */
    @WithDefault("30s")
    Duration sessionTimeout();

    /** How long to wait for a connection to one of the servers before it counts as lost. */
    @WithDefault("5s")
    Duration connectionTimeout();

    /**
     * The retry policy of the Curator client, for application code that injects it: how requests are retried that failed
     * because the client was not connected. Locks have their own retries.
     */
    Retry retry();

    /** The credentials of this application. */
    @ConfigDocSection
    Auth auth();

    /** SASL: the client authenticates with a section of the JVM's JAAS configuration. */
    @ConfigDocSection
    Sasl sasl();

    /** TLS between this client and the servers. */
    @ConfigDocSection
    Tls tls();

    /**
     * The configuration of Quarkus' TLS registry to use, {@code quarkus.tls.<name>.*}, instead of {@code tls}. Switches TLS
     * on. What the registry reloads is used for the next connection. Needs {@code quarkus-tls-registry}, which many
     * extensions include.
     */
    Optional<String> tlsConfigurationName();

    /**
     * The name under which a {@code CredentialsProvider} has the user and password for the {@code digest} scheme, instead
     * of {@code auth}. It is queried for each session.
     */
    Optional<String> credentialsProvider();

    /** The bean name of that {@code CredentialsProvider}, if the application has several. */
    Optional<String> credentialsProviderName();

    /**
     * Who may do what with the nodes of locks. {@code open} allows everybody everything. {@code creator} allows only those
     * with the identity of this application: {@code auth}, {@code sasl}, or a certificate if the servers know it by that.
     * Otherwise, a list of {@code scheme:id:permissions}, such as
     * {@code digest:shop:+7K83PhyQ3ijGj0ADmljf0quVwQ=:cdrwa} or {@code ip:10.0.0.0/8:cdrw}, with the letters for create,
     * delete, read, write and admin. Locks need {@code cdr}; {@code requestRelease}, {@code downgrade}, a {@code limit} that
     * many JVMs wait for, and the detection of deadlocks between JVMs also need {@code w}. Existing nodes keep their ACL.
     */
    @ConfigDocDefault("creator when auth or sasl is configured, else open")
    Optional<List<String>> acl();

    /**
     * The path of all locks, before the namespace ({@code quarkus.lock.namespace}). Missing parts are created with
     * {@code acl}. If applications with different identities share the path, it must already exist.
     */
    @WithDefault("/")
    String root();

    /** The longest time for one operation: how long an attempt without waiting, or a release, waits for ZooKeeper. */
    @WithDefault("5s")
    Duration operationTimeout();

    /**
     * The servers' {@code tickTime}. A server tells the leader every half tick which clients it has heard from, so a holder
     * relies on its lock for two thirds of the session timeout less half a tick. Clients cannot query it.
     */
    @WithDefault("2s")
    Duration tickTime();

    /**
     * The servers' {@code syncLimit}: after how many ticks a leader that is cut off from the others notices it. A session
     * must outlast that; if it is too short, a warning says how long it must be. 0 for a single server. Clients cannot
     * query it.
     */
    @WithDefault("5")
    int syncLimit();

    /** How this client retries requests that failed because it was not connected. */
    interface Retry {

        /** How long to wait before the first retry. Doubled for each further retry, with a random part. */
        @WithDefault("100ms")
        Duration delay();

        /** The longest wait before a retry. */
        @WithDefault("2s")
        Duration maxDelay();

        /** The number of retries, at most 29. */
        @WithDefault("5")
        int maxAttempts();
    }

    /** The credentials of this application. */
    interface Auth {

        /** The user for the {@code digest} scheme. */
        Optional<String> username();

        /** The password for the {@code digest} scheme. */
        Optional<String> password();
    }

    /** SASL. */
    interface Sasl {

        /** Whether to use SASL. */
        @WithDefault("false")
        boolean enabled();

        /** The section of the JAAS configuration ({@code -Djava.security.auth.login.config=<file>}). */
        @WithDefault("Client")
        String loginContext();

        /** The first part of the servers' Kerberos principal. */
        @WithDefault("zookeeper")
        String serverName();
    }

    /** TLS. */
    interface Tls {

        /**
         * Whether to use TLS. {@code connect-string} must then have the servers' {@code secureClientPort}. If not set, TLS is
         * off, and a trust store or key store keeps the application from starting.
         */
        @ConfigDocDefault("false")
        Optional<Boolean> enabled();

        /** The file with the certificates to trust: {@code .jks}, {@code .p12} or {@code .pem}. */
        @ConfigDocDefault("what the JVM trusts")
        Optional<String> trustStore();

        /** The password of the trust store. */
        Optional<String> trustStorePassword();

        /** The file with this client's own certificate and key, if the servers require one. */
        Optional<String> keyStore();

        /** The password of the key store. */
        Optional<String> keyStorePassword();

        /** Whether the servers' certificates must match the host names in {@code connect-string}. */
        @WithDefault("true")
        boolean verifyHostname();
    }
}
