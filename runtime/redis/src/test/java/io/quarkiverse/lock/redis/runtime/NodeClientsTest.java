package io.quarkiverse.lock.redis.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.testkit.Fault;

/** What is kept of a configured address when a connection leads to one of several nodes. */
class NodeClientsTest {

    /** The client decodes the password once, as in the configured address. */
    @Test
    @Fault(457)
    void fault457_passwordStaysUrlEncoded() {
        assertThat(NodeClients.sentinel(URI.create("redis://:p%2Bw%40@sentinel:26379")))
                .hasToString("redis://:p%2Bw%40@sentinel:26379");
        assertThat(NodeClients.nodeOfCluster(URI.create("rediss://locks:p%2Bw@seed:7000?client=orders"), "10.0.0.1:7001"))
                .hasToString("rediss://locks:p%2Bw@10.0.0.1:7001?client=orders");
    }

    /** A sentinel does not know the command that selects a database. */
    @Test
    @Fault(457)
    void fault457_sentinelUrlHasNoDatabase() {
        assertThat(NodeClients.sentinel(URI.create("redis://sentinel:26379/2"))).hasToString("redis://sentinel:26379");
        assertThat(NodeClients.sentinel(URI.create("redis://sentinel:26379?db=2"))).hasToString("redis://sentinel:26379");
        assertThat(NodeClients.sentinel(URI.create("redis://sentinel:26379?password=a%26b&db=2&client=orders")))
                .hasToString("redis://sentinel:26379?password=a%26b&client=orders");
    }

    @Test
    void nodeMayHaveIpv6Address() {
        assertThat(NodeClients.nodeOfCluster(URI.create("redis://seed"), "fd00::1:7001")).hasToString("redis://[fd00::1]:7001");
    }
}
