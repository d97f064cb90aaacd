package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.eclipse.microprofile.reactive.messaging.Acknowledgment.Strategy.POST_PROCESSING;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.reactive.messaging.Acknowledgment;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Emitter;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.eclipse.microprofile.reactive.messaging.Outgoing;
import org.eclipse.microprofile.reactive.messaging.spi.Connector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkus.runtime.BlockingOperationNotAllowedException;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.multi.processors.UnicastProcessor;
import io.smallrye.reactive.messaging.connector.InboundConnector;
import io.vertx.core.Vertx;

/** What happens to a message whose lock is busy. */
class MessagesTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Inbox.class, Broker.class))
            .overrideConfigKey("mp.messaging.incoming.delivered.connector", "broker")
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock")
                    && record.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(records -> assertThat(records).as("faults 434 and 482").extracting(MessagesTest::message)
                    .satisfiesExactlyInAnyOrder(
                            message -> assertThat(message).startsWith("[" + Inbox.class.getName() + ".note]")
                                    .contains("neither acknowledged nor rejected, and the channel stops",
                                            "Set @Acknowledgment(POST_PROCESSING), take the payload"),
                            message -> assertThat(message).startsWith("[" + Inbox.class.getName() + ".skipped]")
                                    .contains("neither acknowledged nor rejected.", "instead of onBusy = SKIP",
                                            "With both, the message is acknowledged without having been processed")
                                    .doesNotContain("the channel stops", "take the payload"),
                            message -> assertThat(message).startsWith("[" + Inbox.class.getName() + ".dropped]")
                                    .contains("acknowledged without having been processed", "or the application stops",
                                            "say so with @Acknowledgment(POST_PROCESSING)"),
                            message -> assertThat(message).startsWith("[" + Inbox.class.getName() + ".words]")
                                    .contains("acknowledged before it is called", "Return a Uni or a CompletionStage")
                                    .doesNotContain("onBusy")));

    @Inject
    LockManager locks;

    @Inject
    @Connector("broker")
    Broker broker;

    @Inject
    Vertx vertx;

    @Channel("letters")
    Emitter<String> letters;

    @Channel("cards")
    Emitter<String> cards;

    @Channel("notes")
    Emitter<String> notes;

    @Channel("skipped")
    Emitter<String> skipped;

    @Channel("dropped")
    Emitter<String> dropped;

    @Channel("digests")
    Emitter<String> digests;

    @Channel("whole")
    Emitter<String> whole;

    @Channel("memos")
    Emitter<String> memos;

    @Channel("sentences")
    Emitter<String> sentences;

    private static String message(LogRecord record) {
        return String.format(record.getMessage(), record.getParameters());
    }

    @Test
    void fault434_busyMessageIsRejectedIfChannelSettlesIt() throws Exception {
        letters.send("1").toCompletableFuture().get(30, TimeUnit.SECONDS);
        try (LockHandle hold = locks.lock("letter").acquire()) {
            refused(letters.send("2"));
            assertThat(hold.isValid()).isTrue();
        }
        letters.send("3").toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void fault434_fallbackMayRejectBusyMessage() throws Exception {
        cards.send("1").toCompletableFuture().get(30, TimeUnit.SECONDS);
        try (LockHandle hold = locks.lock("card").acquire()) {
            refused(cards.send("2"));
            assertThat(hold.isValid()).isTrue();
        }
        cards.send("3").toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void fault434_unsettledMessageStopsTheChannel() throws Exception {
        notes.send("1").toCompletableFuture().get(30, TimeUnit.SECONDS);
        try (LockHandle hold = locks.lock("note").acquire()) {
            CompletionStage<Void> unsettled = notes.send("2");
            long start = System.nanoTime();
            while (!notes.isCancelled()) {
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
                Thread.onSpinWait();
            }
            assertThat(unsettled).isNotDone();
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void fault482_skippedMessageIsAcknowledgedUnprocessed() throws Exception {
        try (LockHandle hold = locks.lock("dropped").acquire()) {
            for (Emitter<String> channel : List.of(dropped, digests)) {
                channel.send("1").toCompletableFuture().get(30, TimeUnit.SECONDS);
            }
            assertThat(Inbox.PROCESSED).isEmpty();
            assertThat(hold.isValid()).isTrue();
        }
        for (Emitter<String> channel : List.of(dropped, digests)) {
            channel.send("2").toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        assertThat(Inbox.PROCESSED).containsExactly("2", "2");
    }

    @Test
    void fault482_busyMessageIsRejectedIfMethodReturnsMessage() throws Exception {
        whole.send("1").toCompletableFuture().get(30, TimeUnit.SECONDS);
        try (LockHandle hold = locks.lock("whole").acquire()) {
            refused(whole.send("2"));
            assertThat(hold.isValid()).isTrue();
        }
        whole.send("3").toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void fault482_messageOfStreamMethodIsAcknowledgedFirst() throws Exception {
        try (LockHandle hold = locks.lock("words").acquire()) {
            sentences.send("lost in vain").toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void brokerMessageIsProcessedOnWorkerThread() throws Exception {
        broker.deliver("1").get(30, TimeUnit.SECONDS);
        try (LockHandle hold = locks.lock("plain").acquire()) {
            refused(broker.deliver("2"));
            assertThat(hold.isValid()).isTrue();
        }
        broker.deliver("3").get(30, TimeUnit.SECONDS);
    }

    @Test
    void applicationMessageIsProcessedOnSendersThread() throws Exception {
        memos.send("1").toCompletableFuture().get(30, TimeUnit.SECONDS);
        CompletableFuture<Void> settled = new CompletableFuture<>();
        vertx.getOrCreateContext().runOnContext(ignored -> memos.send("2").whenComplete((done, failure) -> {
            if (failure == null) {
                settled.complete(done);
            } else {
                settled.completeExceptionally(failure);
            }
        }));
        assertThat(settled).failsWithin(SOON).withThrowableThat().havingRootCause()
                .isInstanceOf(BlockingOperationNotAllowedException.class);
    }

    private static void refused(CompletionStage<Void> message) {
        assertThat(message.toCompletableFuture()).failsWithin(SOON).withThrowableThat()
                .havingRootCause().isInstanceOf(LockBusyException.class);
    }

    @ApplicationScoped
    public static class Inbox {

        static final List<String> PROCESSED = new CopyOnWriteArrayList<>();

        @Incoming("letters")
        @Acknowledgment(POST_PROCESSING)
        @Locked(value = "letter", waitFor = "0")
        public Uni<Void> letter(Message<String> letter) {
            return Uni.createFrom().voidItem();
        }

        @Incoming("cards")
        @Locked(value = "card", waitFor = "0", onBusy = OnBusy.FALLBACK, fallbackMethod = "reject")
        public Uni<Void> card(Message<String> card) {
            return Uni.createFrom().completionStage(card.ack());
        }

        Uni<Void> reject(Message<String> card, LockBusyException busy) {
            return Uni.createFrom().completionStage(card.nack(busy));
        }

        @Incoming("notes")
        @Locked(value = "note", waitFor = "0")
        public Uni<Void> note(Message<String> note) {
            return Uni.createFrom().completionStage(note.ack());
        }

        @Incoming("skipped")
        @Locked(value = "skipped", waitFor = "0", onBusy = OnBusy.SKIP)
        public CompletionStage<Void> skipped(Message<String> message) {
            return message.ack();
        }

        @Incoming("sentences")
        @Outgoing("words")
        @Locked(value = "words", waitFor = "0")
        public Multi<String> words(String sentence) {
            return Multi.createFrom().items(sentence.split(" "));
        }

        @Incoming("words")
        void word(String word) {
        }

        @Incoming("dropped")
        @Locked(value = "dropped", waitFor = "0", onBusy = OnBusy.SKIP)
        public Uni<Void> dropped(String payload) {
            return Uni.createFrom().voidItem().invoke(() -> PROCESSED.add(payload));
        }

        @Incoming("digests")
        @Blocking
        @Acknowledgment(POST_PROCESSING)
        @Locked(value = "dropped", waitFor = "0", onBusy = OnBusy.SKIP)
        public void digest(String payload) {
            PROCESSED.add(payload);
        }

        @Incoming("delivered")
        @Locked(value = "plain", waitFor = "0")
        public void delivered(String payload) {
        }

        @Incoming("memos")
        @Locked(value = "memo", waitFor = "0")
        public void memo(String payload) {
        }

        @Incoming("whole")
        @Outgoing("answers")
        @Locked(value = "whole", waitFor = "0")
        public Uni<Message<String>> whole(String payload) {
            return Uni.createFrom().item(Message.of(payload));
        }

        @Incoming("answers")
        public void answer(String payload) {
        }
    }

    /** Delivers on an event loop, as Kafka's connector does. */
    @ApplicationScoped
    @Connector("broker")
    public static class Broker implements InboundConnector {

        private final UnicastProcessor<Message<String>> messages = UnicastProcessor.create();

        @Inject
        Vertx vertx;

        @Override
        public Flow.Publisher<? extends Message<?>> getPublisher(Config config) {
            return messages;
        }

        CompletableFuture<Void> deliver(String payload) {
            CompletableFuture<Void> settled = new CompletableFuture<>();
            Message<String> message = Message.of(payload, () -> {
                settled.complete(null);
                return CompletableFuture.completedFuture(null);
            }, failure -> {
                settled.completeExceptionally(failure);
                return CompletableFuture.completedFuture(null);
            });
            vertx.getOrCreateContext().runOnContext(ignored -> messages.onNext(message));
            return settled;
        }
    }
}
