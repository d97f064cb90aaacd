package io.quarkiverse.lock.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.testkit.Fault;

/** Fencing tokens rise with every hold of a name, whatever happens in between. */
public abstract class FencingContract extends ContractTest {

    @Test
    @Rule(4)
    void tokenRisesWithEachHold() {
        Jvm a = jvm();
        Jvm b = jvm();
        long last = 0;
        for (int i = 0; i < times(50, 10); i++) {
            last = next(i % 3 == 0 ? b : a, last);
        }
    }

    @Test
    @Rule(4)
    void tokenRisesOnHandOffInsideJvm() throws Exception {
        Jvm a = jvm();
        List<Long> tokens = new ArrayList<>();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        LockHandle first = a.lock(name()).acquire();
        tokens.add(first.fencingToken());
        for (int i = 0; i < 10; i++) {
            all.add(start(() -> {
                try (LockHandle hold = a.lock(name()).acquire()) {
                    tokens.add(hold.fencingToken()); // guarded by the lock itself
                }
                return null;
            }));
        }
        awaitRequests(a, 11);
        first.close();
        for (var one : all) {
            get(one);
        }
        assertThat(tokens).hasSize(11).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @Rule(4)
    void tokenRisesAfterForcedRelease() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lock(name()).acquire();
        b.locks().forceRelease(name());
        next(b, hold.fencingToken());
        hold.close();
    }

    @Test
    @Rule(4)
    void tokenRisesAfterExpiry() {
        Jvm a = jvm();
        Jvm b = jvm();
        LockHandle hold = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        next(b, hold.fencingToken());
        hold.close();
    }

    @Test
    @Rule(4)
    void tokenRisesAfterJvmRestart() {
        Jvm a = jvm();
        long last = next(a, 0);
        a.close();
        next(jvm(), last);
    }

    @Test
    @Rule(4)
    @Needs(Ability.DELETE_GRANT)
    void tokenRisesAfterGrantIsDeleted() {
        Jvm a = jvm();
        long last = next(a, 0);
        environment().deleteGrant(name());
        last = next(a, last);
        environment().deleteGrant(name());
        next(jvm(), last);
    }

    @Test
    @Rule(4)
    @Needs(Ability.LOSE_DATA)
    @Fault(23)
    void fault23_tokenRisesAfterDataLoss() {
        Jvm a = jvm();
        LockHandle hold = a.lock(name()).acquire();
        environment().loseAllData();
        next(jvm(), hold.fencingToken());
        hold.close();
    }

    @Test
    @Rule({ 4, 7 })
    void tokenStaysTheSameOnReentry() throws Exception {
        Jvm a = jvm();
        a.lock(name()).call(() -> {
            long outer = a.locks().held().get(0).fencingToken();
            try (LockHandle nested = a.lock(name()).acquire()) {
                assertThat(nested.fencingToken()).isEqualTo(outer);
            }
            return null;
        });
    }

    @Test
    @Rule({ 4, 15 })
    @Fault(1)
    void fault01_fenceRejectsPausedHoldersWrite() {
        Jvm a = jvm();
        Jvm b = jvm();
        var store = new FencedStore();
        LockHandle paused = a.lockWithoutRenewal(name(), SHORT_LEASE).acquire();
        try (LockHandle next = b.lock(name()).acquire()) {
            assertThat(store.write(next.fencingToken(), "new")).isTrue();
            assertThat(store.write(paused.fencingToken(), "old")).isFalse();
        }
        assertThat(store.fenced).isEqualTo("new");
        assertThat(store.unfenced).as("the damage that the fence prevents").isEqualTo("old");
        paused.close();
    }

    private static final class FencedStore {

        private long highest;
        private String fenced = "";
        private String unfenced = "";

        boolean write(long token, String value) {
            unfenced = value;
            if (token < highest) {
                return false;
            }
            highest = token;
            fenced = value;
            return true;
        }
    }

    private long next(Jvm jvm, long last) {
        try (LockHandle hold = jvm.lock(name(), Duration.ofSeconds(30)).acquire()) {
            assertThat(hold.fencingToken()).isGreaterThan(last);
            return hold.fencingToken();
        }
    }

    @Test
    @Rule(4)
    @Fault(127)
    void fault127_tokensRiseAboveTheFloor() {
        long floor = 1L << 61; // beyond any store's own counter
        Jvm a = jvm("floored a", builder -> builder.fencingFloor(floor));
        Jvm b = jvm("floored b", builder -> builder.fencingFloor(floor));
        long last = floor;
        for (int i = 0; i < 4; i++) {
            Jvm jvm = i % 2 == 0 ? a : b;
            try (LockHandle hold = jvm.lock(name()).acquire()) {
                assertThat(hold.fencingToken()).isGreaterThan(last);
                last = hold.fencingToken();
                assertThat(jvm.locks().held()).extracting(HeldLock::fencingToken).containsExactly(last);
                assertThat(jvm.locks().inspect(name()).orElseThrow().holders()).extracting(LockInfo.Holder::fencingToken)
                        .containsExactly(last);
            }
        }
    }
}
