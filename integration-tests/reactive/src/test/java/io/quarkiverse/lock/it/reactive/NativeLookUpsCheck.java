package io.quarkiverse.lock.it.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.it.lookups.LookUpComparison;

/** Run with the profile {@code native-sources}. Each way to lock around a transaction. */
class NativeLookUpsCheck extends LookUpComparison {

    private static final Servers SERVERS = new Servers();
    private static Node node;

    @BeforeAll
    static void start() throws Exception {
        node = traceUntil("/accounts/any/seen", "traced", SERVERS.start());
        try (var bank = new Bank(SERVERS.databaseUrl())) {
            bank.open("traced");
            bank.open("gated");
            bank.open("other");
        }
    }

    @AfterAll
    static void stopServers() {
        SERVERS.stop();
    }

    @Override
    protected Set<String> needed() {
        return Set.of("io/quarkiverse/lock/redis/release.lua");
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "/printed", "/in-transaction/on-return" })
    void deposits(String how) throws Exception {
        assertThat(node.post("/accounts/traced" + how + "?amount=1").get(30, TimeUnit.SECONDS)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = { "/waiting", "/stateless", "/and/other" })
    void depositsBehindAGate(String how) throws Exception {
        var deposit = node.post("/accounts/gated" + how + "?amount=1");
        node.get("/accounts/gated/gate");
        node.call("DELETE", "/accounts/gated/gate").get(30, TimeUnit.SECONDS);
        assertThat(deposit.get(30, TimeUnit.SECONDS)).isEqualTo(200);
    }
}
