package io.quarkiverse.lock.it.jpa;

import java.io.IOException;
import java.util.Set;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import io.quarkiverse.lock.it.DatabaseResource;
import io.quarkiverse.lock.it.lookups.LookUpChecks;
import io.quarkiverse.lock.jpa.notify.PromptSockets;

/** Run with the profile {@code native-sources}. */
class NativeLookUpsCheck extends LookUpChecks {

    private static final DatabaseResource DATABASE = new DatabaseResource();

    @BeforeAll
    static void start() throws IOException {
        trace("traced", DATABASE.start());
    }

    @Override
    protected Set<String> needed() {
        return Set.of(PromptSockets.class.getName());
    }

    @AfterAll
    static void stopDatabase() {
        DATABASE.stop();
    }
}
