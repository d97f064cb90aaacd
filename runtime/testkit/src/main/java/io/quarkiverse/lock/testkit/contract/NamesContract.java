package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import io.quarkiverse.lock.DistributedLock;
import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.LogLines;

/** Each name locks only itself. */
public abstract class NamesContract extends ContractTest {

    private static final String ALPHABET = "aA{}/%:*?[]\\ .~_-\"'\u00e4\u00df\u0130\u0131\u212a\u00e9e\u0301\n\0\ud83d\ude00\ufeff";

    private static final String FORGED = "\r\n2026-11-21 12:00:00 ERROR [audit] all is well\u001b[2J\u0085\u2028";

    private static final List<String> HARMFUL = List.of("'; DROP TABLE quarkus_lock; --", "' OR '1'='1", "\\' OR 1=1 #",
            "\"] return 1 --", "]] return redis.call('FLUSHALL') --", "\r\nFLUSHALL\r\n", "*", "lock:*", "%", "_", "../..",
            "/../../etc", "/", "a/b/../..", "${jndi:ldap://localhost/x}", "%s%n%d", "{0}", "\0", "\u001b[2J", "\u202e",
            "\ud83d\ude00\ud83d\udc69\u200d\ud83d\ude80", "'".repeat(1024), "\ud83d\ude00".repeat(512));

    @Test
    @Rule(14)
    @Fault(63)
    void fault63_oddNamesAreIndependent() {
        Jvm a = jvm();
        Jvm b = jvm();
        var names = new TreeSet<>(List.of("a", "A", "a ", " a", "a/b", "a", "{a}", "a}", "%61", "a%", "a*", "*", ":", "::",
                "h:a",
                "w:a", "f", "..", ".", "/", "a\nb", "a\0", "\u00e4", "a\u0308", "\ud83d\ude00", "\ud83d", "?", "x".repeat(1024),
                "\u00e4".repeat(1024), "x".repeat(1023) + "y"));
        var random = new Random(7);
        while (names.size() < 30 + times(40, 20)) {
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

    /** Names that would do harm if they became part of a script, a statement, a path or a pattern. */
    @Test
    @Rule(14)
    void namesCannotInjectCode() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle bystander = a.lock(name()).acquire();
        List<LockHandle> holds = new ArrayList<>();
        for (String name : HARMFUL) {
            holds.add(a.lock(name).tryAcquire(Duration.ZERO).orElseThrow(() -> new AssertionError("'" + name + "' is locked")));
            assertThat(b.lock(name).tryAcquire(Duration.ZERO)).as("%s is locked", name).isEmpty();
        }
        for (LockHandle hold : holds) {
            assertThat(b.locks().inspect(hold.name()).orElseThrow().name()).isEqualTo(hold.name());
            hold.close();
            assertBecomesFree(b, hold.name(), SOON);
        }
        assertHeld(bystander);
        assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
        bystander.close();
    }

    /** A store without a network may log nothing, so the test makes a release fail. */
    @Test
    @Rule(14)
    @Needs(Ability.CUT)
    @ResourceLock(LogLines.LOG)
    void namesAndOwnersCannotForgeLogLines() {
        String name = name() + FORGED;
        try (var log = LogLines.everything()) {
            var faulty = new FaultyBackend(environment().backend("a of " + name));
            Jvm a = jvmOver(faulty);
            Jvm b = jvm("b of " + name, builder -> {
            });
            LockHandle hold = a.lock(name).acquire();
            faulty.failReleases(1);
            hold.close();
            assertBecomesFree(b, name, SOON);
            assertThat(log.messages()).filteredOn(this::isOurs)
                    .anyMatch(line -> line.contains(name() + "\\r\\n2026-11-21") && line.contains("could not be released"))
                    .allSatisfy(NamesContract::assertOneLine);
        }
    }

    @Test
    @Rule(14)
    void namesAndOwnersCannotForgeMessageLines() {
        String name = name() + FORGED;
        Jvm a = jvm("a of " + name, builder -> {
        });
        Jvm b = jvm("b of " + name, builder -> {
        });
        LockHandle hold = a.lock(name).acquire();
        DistributedLock busy = b.locks().lock(name, LockOptions.DEFAULTS.withWaitFor(Duration.ZERO));
        assertThatThrownBy(busy::acquire).isInstanceOf(LockBusyException.class)
                .satisfies(e -> assertOneLine(e.getMessage())).hasMessageContaining(name() + "\\r\\n2026-11-21");
        assertOneLine(hold.toString());
        assertOneLine(busy.toString());
        hold.close();
        assertBecomesFree(b, name, SOON);
    }

    @Test
    @Rule(14)
    @Needs(Ability.OPERATORS)
    @ResourceLock(LogLines.LOG)
    void lossIsLoggedOnOneLine() {
        String name = name() + "\nERROR\u001b[0m";
        try (var log = LogLines.everything()) {
            Jvm a = jvm();
            LockHandle hold = a.lock(name).acquire();
            assertThat(a.locks().forceRelease(name)).isTrue();
            assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
            Await.until("the loss is reported", SOON, () -> log.messages().stream()
                    .anyMatch(line -> line.contains(name() + "\\nERROR\\u001b[0m' was lost")));
            assertThat(log.messages()).filteredOn(this::isOurs).allSatisfy(NamesContract::assertOneLine);
            hold.close();
        }
    }

    /** Other tests may make the database log something meanwhile; that is not checked here. */
    private boolean isOurs(String message) {
        return message.contains(name());
    }

    private static void assertOneLine(String text) {
        assertThat(text).doesNotContain("\n", "\r", "\u001b", "\u0085", "\u2028");
    }

    @Test
    @Rule(14)
    void emptyAndOverlongNamesAreRejected() {
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
    void forceReleaseAcceptsOddNames() {
        Jvm a = jvm();
        for (String name : List.of("{a}%/*", "\u00e4 \ud83d\ude00", "x".repeat(1024))) {
            LockHandle hold = a.lock(name).acquire();
            assertThat(a.locks().forceRelease(name)).isTrue();
            assertThat(hold.lost().toCompletableFuture()).succeedsWithin(SOON);
            hold.close();
        }
    }
}
