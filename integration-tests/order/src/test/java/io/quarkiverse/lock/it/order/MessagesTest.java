package io.quarkiverse.lock.it.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.eclipse.microprofile.reactive.messaging.Acknowledgment.Strategy.POST_PROCESSING;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.reactive.messaging.Acknowledgment;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Emitter;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockBusyException;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.Locked.OnBusy;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** What becomes of a message whose lock is busy, if its method takes the whole {@code Message}. */
class MessagesTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Inbox.class))
            .overrideConfigKey("quarkus.lock.backend", "local")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.lock")
                    && record.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(records -> assertThat(records).as("fault 434").extracting(MessagesTest::message)
                    .allSatisfy(message -> assertThat(message).contains("neither acknowledged nor rejected",
                            "@Acknowledgment(POST_PROCESSING)"))
                    .satisfiesExactlyInAnyOrder(
                            message -> assertThat(message).startsWith("[" + Inbox.class.getName() + ".note]")
                                    .contains("the channel stops"),
                            message -> assertThat(message).startsWith("[" + Inbox.class.getName() + ".skipped]")
                                    .doesNotContain("the channel stops")));

    @Inject
    LockManager locks;

    @Channel("letters")
    Emitter<String> letters;

    @Channel("cards")
    Emitter<String> cards;

    @Channel("notes")
    Emitter<String> notes;

    @Channel("skipped")
    Emitter<String> skipped;

    private static String message(LogRecord record) {
        return String.format(record.getMessage(), record.getParameters());
    }

    @Test
    void fault434_itIsRejectedIfTheChannelSettlesIt() throws Exception {
        letters.send("1").toCompletableFuture().get(30, TimeUnit.SECONDS);
        try (LockHandle hold = locks.lock("letter").acquire()) {
            refused(letters.send("2"));
            assertThat(hold.isValid()).isTrue();
        }
        letters.send("3").toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void fault434_aFallbackMayRejectIt() throws Exception {
        cards.send("1").toCompletableFuture().get(30, TimeUnit.SECONDS);
        try (LockHandle hold = locks.lock("card").acquire()) {
            refused(cards.send("2"));
            assertThat(hold.isValid()).isTrue();
        }
        cards.send("3").toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void fault434_otherwiseNobodySettlesItAndTheChannelStops() throws Exception {
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

    private static void refused(CompletionStage<Void> message) {
        assertThat(message.toCompletableFuture()).failsWithin(SOON).withThrowableThat()
                .havingRootCause().isInstanceOf(LockBusyException.class);
    }

    @ApplicationScoped
    public static class Inbox {

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
    }
}
