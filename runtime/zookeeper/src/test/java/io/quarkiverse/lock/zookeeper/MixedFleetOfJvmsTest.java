package io.quarkiverse.lock.zookeeper;

import static io.quarkiverse.lock.testkit.KeptOut.assertKeptOut;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockOptions;
import io.quarkiverse.lock.testkit.process.ChildJvm;
import io.quarkiverse.lock.zookeeper.nodes.LockNodes;

/** Like {@link MixedFleetTest}, with the recipes in a separate JVM. */
class MixedFleetOfJvmsTest extends ZooKeeperTest {

    private static final LockOptions PATIENT = LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(30));

    private LockManager ours(LockNodes nodes) {
        return locks(client(LONG_SESSION), options().withNodes(nodes));
    }

    private ChildJvm recipes(LockNodes nodes) {
        return opened(ChildJvm.start(CuratorChild.class, server.connectString(), nodes.name()));
    }

    private String hold(long millis) {
        return "hold " + millis + ' ' + root + "/order-42";
    }

    private String release() {
        return "release 0 " + root + "/order-42";
    }

    private String has() {
        return "has " + root + "/order-42";
    }

    @ParameterizedTest
    @EnumSource
    void recipeAndOurLockExcludeEachOther(LockNodes nodes) {
        LockManager ours = ours(nodes);
        ChildJvm recipes = recipes(nodes);
        try (LockHandle hold = ours.lock("order-42").acquire()) {
            assertThat(recipes.ask(hold(300))).isEqualTo("false");
            assertThat(hold.isValid()).isTrue();
        }
        CompletableFuture<String> held = recipes.send(hold(20_000));
        recipes.awaitEvent(has(), SOON);
        assertThat(ours.lock("order-42").tryAcquire(Duration.ZERO)).isEmpty();
        assertKeptOut(ours.lock("order-42"), Duration.ofMillis(300));
        CompletableFuture<LockHandle> next = ours.lock("order-42", PATIENT).acquireAsync().subscribeAsCompletionStage();
        awaitNodes("order-42", 2);
        assertThat(next).isNotDone();
        recipes.ask(release());
        Jvm.get(next).close();
        assertThat(Jvm.get(held)).isEqualTo("true");
        awaitNodes("order-42", 0);
    }

    @ParameterizedTest
    @EnumSource
    void firstComeFirstServed(LockNodes nodes) {
        List<String> order = new CopyOnWriteArrayList<>();
        LockManager ours = ours(nodes);
        LockManager oursElsewhere = ours(nodes);
        ChildJvm recipes = recipes(nodes);
        LockHandle first = ours(nodes).lock("order-42").acquire(); // a waiter in the holder's JVM has no node
        CompletableFuture<String> second = recipes.send(hold(60_000)).thenApply(had -> "recipe " + had);
        awaitNodes("order-42", 2);
        CompletableFuture<LockHandle> third = ours.lock("order-42", PATIENT).acquireAsync()
                .invoke(any -> order.add("ours")).subscribeAsCompletionStage();
        awaitNodes("order-42", 3);
        ChildJvm moreRecipes = recipes(nodes);
        CompletableFuture<String> fourth = moreRecipes.send(hold(60_000));
        awaitNodes("order-42", 4);
        CompletableFuture<LockHandle> fifth = oursElsewhere.lock("order-42", PATIENT).acquireAsync()
                .invoke(any -> order.add("ours elsewhere")).subscribeAsCompletionStage();
        awaitNodes("order-42", 5);
        first.close();
        recipes.awaitEvent(has(), SOON);
        assertThat(order).isEmpty();
        recipes.ask(release());
        LockHandle hold = Jvm.get(third);
        assertThat(Jvm.get(second)).isEqualTo("recipe true");
        assertThat(moreRecipes.events()).noneMatch(event -> event.text().equals(has()));
        hold.close();
        moreRecipes.awaitEvent(has(), SOON);
        assertThat(order).containsExactly("ours");
        moreRecipes.ask(release());
        Jvm.get(fifth).close();
        assertThat(Jvm.get(fourth)).isEqualTo("true");
        assertThat(order).containsExactly("ours", "ours elsewhere");
        awaitNodes("order-42", 0);
    }
}
