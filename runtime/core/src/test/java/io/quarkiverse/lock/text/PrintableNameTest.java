package io.quarkiverse.lock.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockException;
import io.quarkiverse.lock.LockInterruptedException;
import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.StaleTokenException;

class PrintableNameTest {

    @Test
    void printableNamesStayUnchanged() {
        for (String name : new String[] { "order-42", "'; DROP TABLE quarkus_lock; --", "%s%n${x}{0}", "a\\n",
                "\u00e4\u00df\u20ac",
                "\ud83d\ude00", "\u65e5\u672c" }) {
            assertThat(PrintableName.of(name)).isEqualTo(name);
            assertThat(PrintableName.oneLine(name)).isEqualTo(name);
        }
        String plain = "x".repeat(200);
        assertThat(PrintableName.of(plain)).isSameAs(plain);
    }

    @Test
    void controlAndInvisibleCharactersAreEscaped() {
        assertThat(PrintableName.of("a\nb\r\n\tc")).isEqualTo("a\\nb\\r\\n\\tc");
        assertThat(PrintableName.of("\u001b[2J\0\u007f\u0085\u009b")).isEqualTo("\\u001b[2J\\u0000\\u007f\\u0085\\u009b");
        assertThat(PrintableName.of("a\u2028b\u2029c")).isEqualTo("a\\u2028b\\u2029c");
        assertThat(PrintableName.of("\u202egnp\u2066\ufeff")).isEqualTo("\\u202egnp\\u2066\\ufeff");
        assertThat(PrintableName.of("\ud83d")).isEqualTo("\\ud83d");
        assertThat(PrintableName.of("\udb40\udc01")).isEqualTo("\\U000e0001");
    }

    @ParameterizedTest
    @CsvSource({ "200, 200", "201, 200", "1024, 200" })
    void longNamesAreTruncatedWithTheirLength(int length, int shown) {
        String name = PrintableName.of("x".repeat(length));
        assertThat(name).startsWith("x".repeat(shown)).doesNotContain("x".repeat(shown + 1));
        assertThat(name.contains("… (" + length + " characters)")).isEqualTo(length > shown);
    }

    @Test
    void surrogatePairsAreNotSplit() {
        assertThat(PrintableName.of("x".repeat(199) + "\ud83d\ude00" + "y".repeat(10)))
                .isEqualTo("x".repeat(199) + "… (211 characters)");
    }

    @Test
    void exceptionMessagesAreOneLineAndNamesUnchanged() {
        String name = "a\nERROR forged\u001b[0m";
        for (LockException each : new LockException[] { new LockBusyException(name, "held by " + name),
                new LockLostException(name, "lost: " + name, null), new LockBackendException(name, "failed: " + name, null),
                new LockInterruptedException(name), new StaleTokenException(name, "stale: " + name) }) {
            assertThat(each.getMessage()).contains("a\\nERROR forged\\u001b[0m").doesNotContain("\n", "\u001b");
            assertThat(each.lockName()).isEqualTo(name);
        }
    }
}
