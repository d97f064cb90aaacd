package io.quarkiverse.lock.zookeeper.runtime;

import org.apache.zookeeper.client.ZKClientConfig;

/** Says whom to trust and which key to present, if this extension's configuration does not. */
public interface TlsSource {

    /** Configures the client, which reads this for each new connection. */
    void configure(String name, ZKClientConfig client);

    /** Whether there is a key to present. */
    boolean hasKey(String name);
}
