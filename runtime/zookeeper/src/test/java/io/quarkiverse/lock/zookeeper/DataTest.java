package io.quarkiverse.lock.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DataTest {

    @Test
    void whoMadeANodeOfOursStaysKnownWhenItIsAsked() {
        byte[] asked = Data.ask(Data.of("shop", 30_000));
        assertThat(Data.asked(asked)).isTrue();
        assertThat(Data.of(asked)).isEqualTo(new Data("shop", 30_000));
    }

    /** Its recipes understand nothing else. */
    @Test
    void ofOneOfCuratorsIsLeftWhatItsRecipesUnderstand() {
        for (String others : new String[] { "10.0.0.7", "", "two\nlines", "a line\n", "an end\n0" }) {
            assertThat(new String(Data.ask(others.getBytes(UTF_8)), UTF_8)).as(others).isEqualTo("__REVOKE__");
        }
        assertThat(new String(Data.ask(null), UTF_8)).isEqualTo("__REVOKE__");
    }
}
