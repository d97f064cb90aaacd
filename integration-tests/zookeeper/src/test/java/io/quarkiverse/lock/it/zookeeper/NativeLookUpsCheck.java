package io.quarkiverse.lock.it.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.lock.it.lookups.LookUpChecks;

/** Run with the profile {@code native-sources}. With each of the client's sockets, and a login. */
class NativeLookUpsCheck extends LookUpChecks {

    private static SecureZooKeeper server;

    @BeforeAll
    static void start() throws Exception {
        server = new SecureZooKeeper();
        trace("traced-tls", server.loginOverTls());
        var answer = trace("traced", server.login("Shop")).post("/orders/plain/blocking");
        assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(200);
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    @Override
    protected Set<String> needed() {
        return Logins.classes();
    }

    @Override
    protected long extendedSeconds() {
        return 12;
    }

    @Override
    protected long leaseSeconds() {
        return 5;
    }
}
