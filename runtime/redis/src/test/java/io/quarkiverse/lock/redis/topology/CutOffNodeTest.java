package io.quarkiverse.lock.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.redis.connection.CommandConnection;
import io.quarkiverse.lock.redis.connection.EventLoop;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.RedisLockOptions;
import io.quarkiverse.lock.redis.script.Script;
import io.quarkiverse.lock.redis.script.ScriptCall;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.Fault;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Response;

/** Nodes of a cluster that answer CLUSTERDOWN: one that is cut off from the others, or all of them. */
class CutOffNodeTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final long PAUSE_MILLIS = 500;
    private static final int MANY = 50;
    /** Its slot is in the lower half. */
    private static final String KEY = "bar";
    /** Its slot is in the upper half. */
    private static final String ANOTHER = "foo";

    private final EventLoop loop = new EventLoop();
    private final List<StubNode> stubs = new ArrayList<>();
    private final AtomicInteger moved = new AtomicInteger();
    private ClusterRoute route;

    @AfterEach
    void close() throws Exception {
        onLoop(() -> {
            route.close();
            loop.close();
            return true;
        });
        for (StubNode each : stubs) {
            each.close();
        }
    }

    private StubNode stub() throws Exception {
        var stub = new StubNode();
        stubs.add(stub);
        return stub;
    }

    /**
     * Connects to all of them, and returns when no look is due.
     *
     * @param first has {@link #KEY}
     * @param second has {@link #ANOTHER}
     */
    private void open(StubNode first, StubNode second) throws Exception {
        var options = new RedisLockOptions("lock:", Duration.ofSeconds(60), Duration.ofSeconds(60), true, "quarkus.redis.");
        route = new ClusterRoute(loop, new ClusterClients() {
            @Override
            public List<String> seeds() {
                return stubs.stream().map(StubNode::address).toList();
            }

            @Override
            public Redis client(Vertx vertx, String node) {
                return Redis.createClient(vertx,
                        new RedisOptions().setProtocolNegotiation(false).setConnectionString("redis://" + node));
            }
        }, options, new Moves());
        onLoop(() -> {
            route.open();
            return true;
        });
        Await.until("all are connected", SOON, () -> onLoop(
                () -> route.connections().stream().filter(each -> each.wire() != null).count() == stubs.size()));
        // Until now each was content with itself, so that nothing had to be looked up again
        stubs.forEach(each -> each.owners(first, second));
        Await.until("the owners are known", SOON, () -> {
            compareTables();
            boolean known = true;
            for (int i = 0; i < 10; i++) {
                known &= reaches(KEY, first) && reaches(ANOTHER, second);
            }
            return known;
        });
    }

    /** Has the table looked up if any node has another one. */
    private void compareTables() throws Exception {
        var compared = new CompletableFuture<Boolean>();
        loop.run(() -> route.masters(0, masters -> compared.complete(true), failure -> compared.complete(false)));
        compared.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    private boolean reaches(String key, StubNode node) throws Exception {
        int before = node.calls.get();
        return succeeds(key) && node.calls.get() == before + 1;
    }

    private <T> T onLoop(Supplier<T> task) throws Exception {
        var result = new CompletableFuture<T>();
        loop.run(() -> result.complete(task.get()));
        return result.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    private boolean succeeds(String key) throws Exception {
        return call(key).refusal == null;
    }

    /** Returns the nodes that may be asked something now. */
    private Set<String> refused(String key) throws Exception {
        Question question = call(key);
        assertThat(question.refusal).isNotNull();
        return question.choice;
    }

    private Question call(String key) throws Exception {
        var question = new Question(key);
        loop.run(() -> route.send(question));
        question.over.get(SOON.toSeconds(), TimeUnit.SECONDS);
        if (question.refusal != null) {
            assertThat(question.refusal.code()).isEqualTo("CLUSTERDOWN");
        }
        return question;
    }

    /** A node is chosen at random. On the event loop. */
    private Set<String> choice() {
        return Stream.generate(route::someNode).limit(MANY).collect(Collectors.toSet());
    }

    @Test
    @Fault(563)
    void fault563_slotsOfCutOffNodeAreLookedUpElsewhere() throws Exception {
        StubNode former = stub();
        StubNode other = stub();
        open(former, other);
        int checks = moved.get();
        former.refuse(() -> other.owners(other, other));
        assertThat(refused(KEY)).containsOnly(other.address());
        Await.until("its successor is known, and all locks are checked", SOON, () -> moved.get() == checks + 1);
        assertThat(onLoop(this::choice)).as("not the former owner, which is still connected").containsOnly(other.address());
        assertThat(reaches(KEY, other)).isTrue();
    }

    @Test
    @Fault(563)
    void fault563_nodeThatRejoinsIsAskedAgain() throws Exception {
        StubNode node = stub();
        StubNode other = stub();
        open(node, other);
        node.refuse();
        assertThat(refused(KEY)).doesNotContain(node.address());
        node.goOn();
        Await.until("it may be asked again", SOON, () -> onLoop(this::choice).contains(node.address()));
        assertThat(reaches(KEY, node)).isTrue();
    }

    /** As while a slot has no node: some node will be the first to know who has it. */
    @Test
    @Fault(563)
    void fault563_downClusterIsAskedInModeration() throws Exception {
        StubNode first = stub();
        StubNode second = stub();
        open(first, second);
        stubs.forEach(StubNode::refuse);
        long from = System.nanoTime();
        int before = looks();
        Await.until("they have been asked some times", SOON, () -> {
            assertThat(refused(ANOTHER)).containsOnly(first.address());
            assertThat(refused(KEY)).containsOnly(second.address());
            return looks() - before >= 4;
        });
        long most = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from) / PAUSE_MILLIS + 1;
        assertThat(looks() - before).isLessThanOrEqualTo((int) most);

        second.owners(second, second);
        second.goOn();
        Await.until("the call gets through", SOON, () -> reaches(KEY, second));
    }

    @Test
    @Fault(563)
    void fault563_onlyKnownNodeIsAskedThoughCutOff() throws Exception {
        StubNode only = stub();
        open(only, only);
        try (var unknown = new StubNode()) {
            only.refuse();
            assertThat(refused(KEY)).containsOnly(only.address());
            only.owners(unknown, unknown);
            Await.until("the call gets through", SOON, () -> reaches(KEY, unknown));
        }
    }

    private int looks() {
        return stubs.stream().mapToInt(each -> each.looks.get()).sum();
    }

    private final class Question extends ScriptCall {

        private final CompletableFuture<Boolean> over = new CompletableFuture<>();
        private final String key;
        private RedisFailure refusal;
        /** At that moment. */
        private Set<String> choice;

        Question(String key) {
            super(Script.INSPECT);
            this.key = key;
        }

        @Override
        public List<String> keys() {
            return List.of(key);
        }

        @Override
        public List<String> args() {
            return List.of();
        }

        @Override
        public void answered(Response reply) {
            over.complete(true);
        }

        @Override
        public void failed(RedisFailure failure) {
            refusal = failure;
            choice = choice();
            over.complete(true);
        }
    }

    private final class Moves implements ClusterRoute.Watcher {

        @Override
        public void slotsMoved() {
            moved.incrementAndGet();
        }

        @Override
        public void commandsUp(CommandConnection connection, boolean again) {
        }

        @Override
        public void commandsDown(Throwable cause) {
        }

        @Override
        public void commandsUnreachable(Throwable cause) {
        }
    }
}
