package io.quarkiverse.lock.it;

import static io.quarkiverse.lock.it.Calls.number;
import static io.quarkiverse.lock.it.Calls.post;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A manager besides the default one. */
public abstract class NamedManagerChecks {

    /** The lease that application.properties gives this manager. */
    protected long leaseSeconds() {
        return 600;
    }

    @Test
    void hasItsOwnConfiguration() {
        assertThat(number(post("/patient/configured/valid-for"))).isBetween(leaseSeconds() / 5, leaseSeconds());
    }

    @Test
    void annotationSelectsTheManager() {
        assertThat(number(post("/patient/annotated/by-annotation"))).isBetween(leaseSeconds() / 5, leaseSeconds());
    }

    @Test
    void sharesLocksWithDefaultManager() {
        assertThat(post("/patient/shared/against-standard").asString()).isEqualTo("true");
    }
}
