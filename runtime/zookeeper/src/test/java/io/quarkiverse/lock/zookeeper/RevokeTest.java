package io.quarkiverse.lock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.zookeeper.grant.ZooKeeperGrant;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;

/** A request to release a lock means the same to Curator's recipes and to us. */
class RevokeTest extends ZooKeeperTest {

    @Test
    void curatorsRevokerRequestsReleaseFromOurHolder() throws Exception {
        Jvm jvm = jvm();
        ZooKeeperGrant grant = jvm.grant("order-42");
        Revoker.attemptRevoke(store, grant.path());
        Await.until("it is told, and without a renewal", SOON, () -> !jvm.told.asked.isEmpty());
        assertThat(jvm.told.asked).allMatch(grant::equals);
        assertThat(jvm.told.lost).isEmpty();
        int before = jvm.told.asked.size();
        assertThat(jvm.renew(grant).renewed()).hasSize(1);
        assertThat(jvm.told.asked).as("notified again by the renewal").hasSizeGreaterThan(before);
        assertThat(Jvm.get(jvm.backend.inspect("order-42"))).get()
                .satisfies(info -> assertThat(info.holders()).singleElement()
                        .satisfies(holder -> assertThat(holder.owner()).isEqualTo("an unknown client")));
        jvm.release(grant);
        awaitNodes("order-42", 0);
    }

    @Test
    void requestsReleaseFromCuratorsHolder() throws Exception {
        var recipe = new InterProcessMutex(client(LONG_SESSION), root + "/order-42");
        var asked = new CountDownLatch(1);
        recipe.makeRevocable(lock -> asked.countDown(), threads);
        LockManager ours = locks(client(LONG_SESSION), options().withNodes(LockNodes.MUTEX));
        assertThat(ours.requestRelease("order-42")).isFalse();
        recipe.acquire();
        assertThat(ours.requestRelease("order-42")).isTrue();
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(recipe.isOwnedByCurrentThread()).isTrue();
        recipe.release();
    }

    @Test
    void ownerStaysKnownAfterARequestForRelease() {
        Jvm holder = jvm();
        ZooKeeperGrant grant = holder.grant("order-42");
        Jvm other = jvm();
        assertThat(Jvm.get(other.backend.requestRelease("order-42"))).isTrue();
        assertThat(Jvm.get(other.backend.requestRelease("order-42"))).isTrue();
        Await.until("it is told", SOON, () -> !holder.told.asked.isEmpty());
        assertThat(Jvm.get(other.backend.inspect("order-42"))).get()
                .satisfies(info -> assertThat(info.holders()).singleElement().satisfies(
                        by -> assertThat(by.owner()).isEqualTo("jvm " + Integer.toHexString(holder.hashCode()))));
        assertThat(other.told.asked).isEmpty();
        holder.release(grant);
        Jvm.Waiting next = other.claim("order-42");
        assertThat(other.renew(next.grant()).renewed()).hasSize(1);
        assertThat(other.told.asked).isEmpty();
    }

    @Test
    void holderWithoutRenewalIsNotifiedToo() {
        LockManager here = locks(client(LONG_SESSION));
        LockManager elsewhere = locks(client(LONG_SESSION));
        try (LockHandle hold = here.lock("order-42", LockOptions.DEFAULTS.withRenew(false)).acquire()) {
            assertThat(elsewhere.requestRelease("order-42")).isTrue();
            assertThat(hold.releaseRequested().toCompletableFuture()).succeedsWithin(SOON);
            assertThat(hold.isValid()).isTrue();
        }
    }
}
