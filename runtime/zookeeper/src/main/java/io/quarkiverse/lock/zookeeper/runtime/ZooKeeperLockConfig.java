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
 * Locks in ZooKeeper. An application with a {@code CuratorFramework} bean of its own needs only the last five of these, and an
 * identity to list locks whose ACL asks for one.
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
     * How long the servers keep this JVM's locks when they hear nothing of it. The servers may grant less or more: between 2
     * and 20 of their ticks unless they are configured otherwise.
     */
    @WithDefault("30s")
    Duration sessionTimeout();

    /** How long to wait for a connection to one of the servers before it counts as lost. */
    @WithDefault("5s")
    Duration connectionTimeout();

    /**
     * How this client repeats requests that failed for want of a connection, for others who use it. Locks ask again in their
     * own way.
     */
    Retry retry();

    /** The credentials of this application. */
    @ConfigDocSection
    Auth auth();

    /** SASL: the client proves who it is by a section of the JVM's JAAS configuration. */
    @ConfigDocSection
    Sasl sasl();

    /** TLS between this client and the servers. */
    @ConfigDocSection
    Tls tls();

    /**
     * The configuration of Quarkus' TLS registry to use, {@code quarkus.tls.<name>.*}, instead of {@code tls}. Switches TLS on.
     * What the registry loads again is used for the next connection. Needs {@code quarkus-tls-registry}, which many extensions
     * bring along.
     */
    Optional<String> tlsConfigurationName();

    /**
     * The name by which a {@code CredentialsProvider} knows the user and password of the scheme {@code digest}, instead of
     * {@code auth}. Asked for each session.
     */
    Optional<String> credentialsProvider();

    /** The bean name of that {@code CredentialsProvider}, where the application has several. */
    Optional<String> credentialsProviderName();

    /**
     * Who may do what with the nodes of locks. {@code open}: everybody everything. {@code creator}: only those with the
     * identity of this application. Otherwise a list of {@code scheme:id:permissions}, such as
     * {@code digest:shop:+7K83PhyQ3ijGj0ADmljf0quVwQ=:cdrwa} or {@code ip:10.0.0.0/8:cdrw}, with the letters of create, delete,
     * read, write, admin. Locks take {@code cdr}; {@code requestRelease} and {@code downgrade} need {@code w} as well. Nodes
     * that are there already keep what they have.
     */
    @ConfigDocDefault("creator when auth or sasl is configured, else open")
    Optional<List<String>> acl();

    /**
     * The path under which all locks are, before the namespace ({@code quarkus.lock.namespace}). What is missing of it is made,
     * with {@code acl}: where applications of several identities share it, it has to exist before.
     */
    @WithDefault("/")
    String root();

    /** How long one operation takes at most: how long an attempt without waiting, or a release, waits for ZooKeeper. */
    @WithDefault("5s")
    Duration operationTimeout();

    /**
     * The servers' {@code tickTime}. They look for expired sessions once in each; a holder considers its lock lost by half of
     * it earlier. Clients cannot ask for it.
     */
    @WithDefault("2s")
    Duration tickTime();

    /**
     * The servers' {@code syncLimit}: after how many ticks a leader that is cut off from the others notices it. A session has
     * to outlast that; where it is too short, a warning says how long it has to be. 0 for a single server. Clients cannot ask
     * for it.
     */
    @WithDefault("5")
    int syncLimit();

    /** How this client repeats requests that failed for want of a connection. */
    interface Retry {

        /** How long to wait before the first repetition. Doubled for each further one, with a random part. */
        @WithDefault("100ms")
        Duration delay();

        /** How long to wait at most before a repetition. */
        @WithDefault("2s")
        Duration maxDelay();

        /** How often, at most 29. */
        @WithDefault("5")
        int maxAttempts();
    }

    /** The credentials of this application. */
    interface Auth {

        /** For the scheme {@code digest}. */
        Optional<String> username();

        /** For the scheme {@code digest}. */
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

        /** Whether to use TLS; {@code connect-string} then has the servers' {@code secureClientPort}. */
        @WithDefault("false")
        boolean enabled();

        /** The file with the certificates to trust: {@code .jks}, {@code .p12} or {@code .pem}. */
        @ConfigDocDefault("what the JVM trusts")
        Optional<String> trustStore();

        /** Its password. */
        Optional<String> trustStorePassword();

        /** The file with this client's own certificate and key, where the servers want one. */
        Optional<String> keyStore();

        /** Its password. */
        Optional<String> keyStorePassword();

        /** Whether the servers' certificates must be for the host names in {@code connect-string}. */
        @WithDefault("true")
        boolean verifyHostname();
    }
}
