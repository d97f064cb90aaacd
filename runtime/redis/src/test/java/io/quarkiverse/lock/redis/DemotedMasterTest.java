package io.quarkiverse.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Grant;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkiverse.lock.testkit.Opened;
import io.quarkiverse.lock.testkit.server.RedisReplication;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * A master becomes a replica and keeps its connections: faults 27 and 101. New connections find its successor.
 */
class DemotedMasterTest {

    private static final Duration SOON = Duration.ofSeconds(15);

    @AutoClose
    private final Opened opened = new Opened();
    private RedisServer former;
    private RedisServer next;
    /** The target of new connections, like a virtual address that moves. */
    private volatile RedisServer endpoint;

    @BeforeEach
    void start() {
        RedisReplication redis = opened.add(RedisReplication.start(1));
        former = redis.master();
        next = redis.replicas().get(0);
        endpoint = former;
    }

    private Jvm jvm(int acks) {
        RedisLockOptions standard = RedisLockOptions.STANDARD;
        return opened.add(new Jvm(RedisConnections.to(new RedisLockOptions(standard.keyPrefix(), standard.operationTimeout(),
                standard.retention(), false, standard.properties(), acks),
                vertx -> Redis.createClient(vertx,
                        new RedisOptions().setConnectionString(endpoint.url())))));
    }

    /** No data is lost and no connection is closed. */
    private void demote() {
        try (TinyRedis there = former.connect(); TinyRedis promoted = next.connect()) {
            there.command("FAILOVER");
            Await.until("its replica is the master", SOON, () -> "master".equals(promoted.info("role"))
                    && "slave".equals(there.info("role")) && "up".equals(there.info("master_link_status")));
        }
        endpoint = next;
    }

    private Store store(RedisServer server) {
        return opened.add(new Store(server));
    }

    private static void awaitQueued(Store store, Jvm.Waiting waiting) {
        Await.until("the claim is queued with a channel", SOON, () -> {
            String entry = store.field("w:" + waiting.claim.token());
            return entry != null && !entry.split("\\|", -1)[3].isEmpty();
        });
    }

    @Fault(101)
    @Test
    void fault101_noGrantIsPublishedToSubscriberOnReplica() {
        Store master = store(former);
        Store replica = store(next);
        replica.redis.command("SUBSCRIBE", "channel");
        master.acquire("holder", true);
        master.acquire("waiter", "X", 0, "channel", true);
        master.release("holder");
        assertThat(master.hash()).doesNotContainKeys("h:waiter", "w:waiter");
        master.redis.command("PUBLISH", "channel", "the end");
        List<?> message;
        do {
            message = (List<?>) replica.redis.read();
            assertThat((String) message.get(2)).doesNotStartWith("G|");
        } while (!message.get(2).equals("the end"));
    }

    /** The waiter does not poll: it depends on messages, and these come from the demoted master. */
    @Fault(101)
    @Test
    void fault101_waiterAtDemotedMasterNeverBecomesSecondHolder() {
        Jvm holder = jvm(0);
        Jvm listening = jvm(0);
        Grant held = holder.grant("name");
        Jvm.Waiting waiting = listening.claim("name");
        awaitQueued(store(former), waiting);
        listening.time.timers = false;
        demote();
        releaseAtTheNewMaster(holder, held);
        Jvm third = jvm(0);
        // Either of them becomes the holder, never both
        if (third.ask("name") instanceof Grant) {
            Await.during("no other is granted", Duration.ofMillis(700), () -> !waiting.answer.isDone());
        } else {
            waiting.grant();
        }
    }

    @Fault(101)
    @Test
    void fault101_refusedCommandReplacesMessageConnection() {
        followed(0);
    }

    @Fault(101)
    @Test
    void fault101_refusedCommandReplacesAckConnection() {
        followed(1);
    }

    /** Retries until the new master accepts what the former one refuses. */
    private static void releaseAtTheNewMaster(Jvm holder, Grant held) {
        Await.until("it is released", SOON, () -> released(holder, held));
    }

    private static boolean released(Jvm holder, Grant held) {
        try {
            holder.release(held);
            return true;
        } catch (LockBackendException refused) {
            return false;
        }
    }

    private void followed(int acks) {
        Jvm holder = jvm(acks);
        Jvm other = jvm(acks);
        Grant held = holder.grant("name");
        Jvm.Waiting waiting = other.claim("name");
        awaitQueued(store(former), waiting);
        demote();
        Await.until("both listen to the new master", SOON, () -> {
            holder.renew(held);
            return channels(next) == 2 && channels(former) == 0;
        });
        releaseAtTheNewMaster(holder, held);
        other.release(waiting.grant());
    }

    /** Neither JVM sends a command that a replica would refuse. */
    @Fault(101)
    @Test
    void fault101_staleSubscriptionIsDetectedWithoutTraffic() {
        Jvm holder = jvm(0);
        Jvm other = jvm(0);
        Grant held = holder.grant("name");
        awaitQueued(store(former), other.claim("name"));
        holder.renew(held);
        Await.until("both listen", SOON, () -> channels(former) == 2);
        holder.time.timers = false;
        other.time.timers = false;
        demote();
        Await.until("both listen to the new master", SOON, () -> channels(next) == 2 && channels(former) == 0);
    }

    @Fault(101)
    @Test
    void fault101_newConnectionToReplicaIsRejected() {
        demote();
        endpoint = former;
        Jvm jvm = jvm(0);
        Jvm.Waiting waiting = jvm.claim("name");
        Await.until("it is said", SOON, () -> waiting.claim.trouble() != null
                && waiting.claim.trouble().getMessage().contains("replica"));
        endpoint = next;
        jvm.release(waiting.grant());
    }

    @Fault(27)
    @Test
    void fault27_retriedClaimKeepsItsTokenAcrossRoleSwaps() {
        Jvm jvm = jvm(0);
        jvm.release(jvm.grant("other"));
        for (int i = 0; i < 2; i++) {
            demote();
            Jvm.Waiting refused = jvm.claim("name");
            Grant granted = refused.grant();
            assertThat(store(next).field("h:" + refused.claim.token())).isNotNull();
            Await.until("its own token releases it", SOON, () -> released(jvm, granted));
            RedisServer master = next;
            next = former;
            former = master;
        }
    }

    private static int channels(RedisServer server) {
        try (TinyRedis there = server.connect()) {
            return there.list("PUBSUB", "CHANNELS", "lock:1:jvm:*").size();
        }
    }
}
