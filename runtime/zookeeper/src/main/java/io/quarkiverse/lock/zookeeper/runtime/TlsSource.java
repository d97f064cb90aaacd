package io.quarkiverse.lock.zookeeper.runtime;

import org.apache.zookeeper.client.ZKClientConfig;

/** Where it is said whom to trust and with which key to show up, if not in this extension's configuration. */
public interface TlsSource {

    /** Tells the client, which reads it for each new connection. */
    void configure(String name, ZKClientConfig client);
}
