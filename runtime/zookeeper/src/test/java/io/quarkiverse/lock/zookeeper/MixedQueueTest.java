package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.proxy.FaultProxy;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;
import io.quarkiverse.lock.zookeeper.nodes.NodeOrder;

/**
 * Writers, readers and holders with different limits come and go at random, give up, die, and lose their connections, several
 * at once. Whenever all is quiet, the holders are exactly those that the order of the nodes entitles: no permit stays free.
 * {@code -Dlock.test.random.seconds} and {@code -Dlock.test.random.seed} as for the other random runs.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MixedQueueTest extends ZooKeeperTest {

    private static final String NAME = "mixed";
    private static final long SECONDS = Long.getLong("lock.test.random.seconds", 6);
    /** The least number of steps, on a busy machine. */
    private static final int STEPS = 40;
    /** Enough for a busy machine. Sessions are longer, so no grant depends on the end of one. */
    private static final Duration SOON = Duration.ofSeconds(45);
    /** The most steps until several have held the lock together. */
    private static final int MOST_STEPS = 1000;

    private final long seed = Long.getLong("lock.test.random.seed", ThreadLocalRandom.current().nextLong());
    private final Random random = new Random(seed);
    private final NodeOrder order = new NodeOrder(LockNodes.READ_WRITE);
    private final List<Member> members = new ArrayList<>();
    private final List<String> deeds = new ArrayList<>();

    /** A JVM has at most one waiting claim for a name: the engine ensures that. */
    private final class Member {
        private final int number;
        private final FaultProxy proxy = proxy();
        private final Jvm jvm = jvm(proxy, LONG_SESSION);
        private final List<Jvm.Waiting> claims = new ArrayList<>();
        private Jvm.Waiting last;

        Member(int number) {
            this.number = number;
        }

        void act() {
            int deed = random.nextInt(100);
            if (deed < 45) {
                if (last == null || last.answer.isDone()) {
                    Claim claim = randomClaim();
                    say("claims " + claim.mode() + ' ' + claim.limit());
                    last = jvm.claim(claim);
                    claims.add(last);
                }
            } else if (deed < 80) {
                leave();
            } else if (deed < 94) {
                if (last != null && !last.answer.isDone()) {
                    say("gives up");
                    last.cancel();
                    if (!last.answer.isDone()) {
                        claims.remove(last);
                        last = null;
                    }
                }
            } else if (deed < 98) {
                say("loses its connection");
                proxy.down();
                proxy.accept();
            } else {
                say("dies");
                ZooKeeperServer.expire(jvm.zk(), server.connectString());
            }
        }

        private Claim randomClaim() {
            int kind = random.nextInt(10);
            if (kind < 7) {
                return Jvm.newClaim(NAME, LockMode.EXCLUSIVE, 1 + random.nextInt(4), true);
            }
            return Jvm.newClaim(NAME, kind < 9 ? LockMode.SHARED : LockMode.EXCLUSIVE, true);
        }

        private void leave() {
            List<ZooKeeperGrant> held = held();
            if (!held.isEmpty()) {
                ZooKeeperGrant grant = held.get(random.nextInt(held.size()));
                say("releases " + grant.node());
                claims.removeIf(each -> each.answer.getNow(null) == grant);
                jvm.backend.release(grant).subscribe().with(ignored -> {
                }, failure -> {
                });
            }
        }

        /** The grants that it believes it holds. */
        List<ZooKeeperGrant> held() {
            claims.removeIf(each -> each.answer.isDone() && jvm.told.lost.containsKey(each.grant()));
            return claims.stream().filter(each -> each.answer.isDone()).map(Jvm.Waiting::grant).toList();
        }

        private void say(String deed) {
            deeds.add(number + " " + deed);
        }
    }

    private Set<String> held() {
        var held = new HashSet<String>();
        members.forEach(member -> member.held().forEach(grant -> held.add(grant.node())));
        return held;
    }

    private Set<String> entitled() {
        return Set.copyOf(order.holders(nodes(NAME), Map.of()));
    }

    private long claims() {
        return members.stream().mapToLong(member -> member.claims.size()).sum();
    }

    @Test
    @Fault(203)
    void fault203_holdersAlwaysMatchTheNodeOrder() {
        for (int i = 0; i < 8; i++) {
            members.add(new Member(i));
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        int most = 0;
        for (int step = 0; step < STEPS || System.nanoTime() < end || most < 2 && step < MOST_STEPS; step++) {
            for (int i = 1 + random.nextInt(5); i > 0; i--) {
                members.get(random.nextInt(members.size())).act();
            }
            Await.until(
                    () -> "those who are to hold it do, -Dlock.test.random.seed=" + seed + "\nentitled " + entitled()
                            + "\nheld "
                            + held() + "\nclaims " + claims() + "\nnodes " + nodes(NAME) + "\nafter "
                            + deeds.subList(Math.max(0, deeds.size() - 12), deeds.size()),
                    SOON,
                    () -> held().equals(entitled()) && nodes(NAME).size() == claims());
            most = Math.max(most, held().size());
        }
        assertThat(most).as("-Dlock.test.random.seed=%d: several held it together", seed).isGreaterThan(1);
    }
}
