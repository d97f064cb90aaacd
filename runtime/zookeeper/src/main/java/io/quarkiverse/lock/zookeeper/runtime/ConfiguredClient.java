package io.quarkiverse.lock.zookeeper.runtime;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.client.ConnectStringParser;

import io.quarkiverse.lock.runtime.config.Durations;
import io.quarkiverse.lock.spi.PrintableDuration;
import io.quarkiverse.lock.zookeeper.options.ZooKeeperLockOptions;

/** Makes a ZooKeeper client from the configuration, and reports what is wrong with that before anything is sent. */
final class ConfiguredClient {

    private static final int MOST_ATTEMPTS = 29;

    private ConfiguredClient() {
    }

    /** @param identity passed on for each session */
    static CuratorFramework of(ZooKeeperLockConfig config, Identity identity, OtherExtensions extensions) {
        identity.tell((scheme, credentials) -> {
            // Checked now, since Curator only logs it when a client cannot be made
        });
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(connectString(config))
                .sessionTimeoutMs(millis("session-timeout", config.sessionTimeout()))
                .connectionTimeoutMs(millis("connection-timeout", config.connectionTimeout()))
                .retryPolicy(retry(config.retry()))
                .zkClientConfig(Transport.of(config, extensions))
                .zookeeperFactory(new IdentifiedClients(identity))
                // The servers are those of the connect string: addresses inside the ensemble may be useless from here
                .ensembleTracker(false);
        return builder.build();
    }

    /** The servers may still grant less, but a timeout that is too short is known before they are asked. */
    static void checkSession(Duration timeout, ZooKeeperLockOptions options) {
        Duration delay = options.afterLossDelay();
        millis("session-timeout", timeout);
        if (!delay.isZero() && options.lease(timeout).compareTo(Duration.ZERO) <= 0) {
            throw Property.wrong("session-timeout", "=" + timeout + " is too short for quarkus.lock.after-loss-delay=" + delay
                    + ": holders are certain of a lock for two thirds of the session timeout less half a tick, and less the "
                    + "delay. Raise it, and maxSessionTimeout of the servers with it, or shorten the delay");
        }
        Duration margin = options.margin();
        if (margin != null && Durations.moreThanHalf(margin, options.lease(timeout))) {
            throw Property.wrong("session-timeout", "=" + timeout + " is too short for quarkus.lock.margin=" + margin
                    + ": the margin must be at most half of the time for which holders are certain of a lock, which is two "
                    + "thirds of the session timeout less half a tick, and less quarkus.lock.after-loss-delay: "
                    + PrintableDuration.of(options.lease(timeout)) + ". Shorten the margin, or raise the session timeout, and "
                    + "maxSessionTimeout of the servers with it");
        }
    }

    private static String connectString(ZooKeeperLockConfig config) {
        String servers = config.connectString().orElseThrow(() -> Property.wrong("connect-string",
                " is not set: set it to the ZooKeeper servers, such as zk1.example:2181,zk2.example:2181"));
        try {
            new ConnectStringParser(servers);
        } catch (IllegalArgumentException e) {
            throw Property.wrong("connect-string", "=" + servers + " is not host:port,host:port/path: " + e.getMessage());
        }
        return servers;
    }

    private static BoundedExponentialBackoffRetry retry(ZooKeeperLockConfig.Retry config) {
        int delay = millis("retry.delay", config.delay());
        int most = millis("retry.max-delay", config.maxDelay());
        if (delay > most) {
            throw Property.wrong("retry.delay", "=" + config.delay() + " is longer than " + Property.PREFIX
                    + "retry.max-delay=" + config.maxDelay());
        }
        if (config.maxAttempts() < 0 || config.maxAttempts() > MOST_ATTEMPTS) {
            throw Property.wrong("retry.max-attempts", "=" + config.maxAttempts() + " must be from 0 to " + MOST_ATTEMPTS);
        }
        return new BoundedExponentialBackoffRetry(delay, most, config.maxAttempts());
    }

    static int millis(String property, Duration value) {
        if (value.toMillis() < 1 || value.toMillis() > Integer.MAX_VALUE) {
            throw Property.wrong(property, "=" + value + " must be at least 1ms and at most "
                    + PrintableDuration.of(Duration.ofMillis(Integer.MAX_VALUE)));
        }
        return (int) value.toMillis();
    }
}
