package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.testkit.Fault;

/** Any name locks itself and nothing else. */
public abstract class NamesContract extends ContractTest {

    private static final String ALPHABET = "aA{}/%:*?[]\\ .~_-\"'\u00e4\u00df\u0130\u0131\u212a\u00e9e\u0301\n\0\ud83d\ude00\ufeff";

    @Test
    @Rule(14)
    @Fault(63)
    void fault63_oddNamesAreIndependentOfEachOther() {
        Jvm a = jvm();
        Jvm b = jvm();
        var names = new TreeSet<>(List.of("a", "A", "a ", " a", "a/b", "a", "{a}", "a}", "%61", "a%", "a*", "*", ":", "::",
                "h:a",
                "w:a", "f", "..", ".", "/", "a\nb", "a\0", "\u00e4", "a\u0308", "\ud83d\ude00", "\ud83d", "?", "x".repeat(1024),
                "\u00e4".repeat(1024), "x".repeat(1023) + "y"));
        var random = new Random(7);
        while (names.size() < 30 + Scale.times(40, 20)) {
            var name = new StringBuilder();
            for (int i = random.nextInt(6); i >= 0; i--) {
                name.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
            }
            names.add(name.toString());
        }
        List<LockHandle> holds = new ArrayList<>();
        for (String name : names) {
            holds.add(a.lock(name).tryAcquire(Duration.ZERO).orElseThrow(() -> new AssertionError("'" + name
                    + "' is locked by another name")));
        }
        for (String name : names) {
            assertThat(b.lock(name).tryAcquire(Duration.ZERO)).as("%s is locked", name).isEmpty();
            assertThat(b.locks().inspect(name).orElseThrow().name()).isEqualTo(name);
        }
        holds.forEach(LockHandle::close);
        for (String name : names) {
            assertThat(b.locks().inspect(name)).as("%s is free", name).isEmpty();
        }
    }

    @Test
    @Rule(14)
    void otherNamesAreRefusedWithTheLimit() {
        Jvm a = jvm();
        assertThatThrownBy(() -> a.lock("")).isInstanceOf(IllegalArgumentException.class);
        for (int length : new int[] { 1025, 10_000 }) {
            assertThatThrownBy(() -> a.lock("x".repeat(length))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1024");
            assertThatThrownBy(() -> a.locks().inspect("x".repeat(length))).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> a.locks().forceRelease("x".repeat(length))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    @Rule(14)
    @Needs(Ability.OPERATORS)
    void operatorsReachOddNames() {
        Jvm a = jvm();
        for (String name : List.of("{a}%/*", "\u00e4 \ud83d\ude00", "x".repeat(1024))) {
            LockHandle hold = a.lock(name).acquire();
            assertThat(a.locks().forceRelease(name)).isTrue();
            assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
            hold.close();
        }
    }
}
