package io.quarkiverse.lock.it;

import static io.quarkiverse.lock.it.Calls.number;
import static io.quarkiverse.lock.it.Calls.post;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;


/** A manager beside the default one. */
public abstract class NamedManagerChecks {

    @Test
    void hasItsOwnConfiguration() {
        assertThat(number(post("/patient/configured/valid-for"))).isBetween(560L, 600L);
    }

    @Test
    void isPickedByTheAnnotation() {
        assertThat(number(post("/patient/annotated/by-annotation"))).isBetween(560L, 600L);
    }

    @Test
    void sharesItsLocksWithTheDefaultOne() {
        assertThat(post("/patient/shared/against-standard").asString()).isEqualTo("true");
    }
}
