package io.quarkiverse.lock.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

class ChildJvmTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    /** Does as it is told. */
    public static class Parrot implements ChildMain {

        private final CountDownLatch gate = new CountDownLatch(1);
        private String argument = "";

        @Override
        public void start(String[] arguments, Child child) {
            argument = arguments.length == 0 ? "" : arguments[0];
            if (argument.equals("fail")) {
                throw new IllegalStateException("told to fail");
            }
            Runtime.getRuntime().addShutdownHook(new Thread(() -> child.event("bye")));
        }

        @Override
        public String handle(String request, Child child) throws Exception {
            System.out.println("This must not disturb the protocol");
            switch (request) {
                case "argument":
                    return argument;
                case "wait":
                    gate.await();
                    return "waited";
                case "open":
                    child.event("opening");
                    gate.countDown();
                    return "opened";
                case "throw":
                    throw new IllegalArgumentException("two\nlines");
                default:
                    return request;
            }
        }
    }

    @Test
    void answersWhileAnotherRequestWaits() {
        try (var child = ChildJvm.start(Parrot.class, "argument with space")) {
            assertThat(child.ask("argument")).isEqualTo("argument with space");
            assertThat(child.ask("ä\\n\n\r\t\"")).isEqualTo("ä\\n\n\r\t\"");
            var waiting = child.send("wait");
            long before = System.nanoTime();
            assertThat(child.ask("open")).isEqualTo("opened");
            long after = System.nanoTime();
            assertThat(waiting).succeedsWithin(SOON).isEqualTo("waited");
            assertThat(child.awaitEvent("opening", SOON).nanos()).isBetween(before, after);
            assertThatThrownBy(() -> child.ask("throw")).isInstanceOf(ChildFailure.class).hasMessageContaining("two\nlines");
        }
    }

    @Test
    void exitsCleanlyWhenItsInputIsClosed() {
        var child = ChildJvm.start(Parrot.class);
        child.close();
        assertThat(child.exitCode()).hasValue(0);
        child.awaitEvent("bye", SOON);
        assertThatThrownBy(() -> child.ask("argument")).isInstanceOf(ChildFailure.class).hasMessageContaining("has ended");
    }

    @Test
    void runsItsShutdownHooksOnTermination() {
        try (var child = ChildJvm.start(Parrot.class)) {
            child.terminate();
            assertThat(child.awaitExit(SOON)).isEqualTo(128 + 15);
            child.awaitEvent("bye", SOON);
        }
    }

    @Test
    void canBeKilledWhilePaused() {
        try (var child = ChildJvm.start(Parrot.class)) {
            child.pause();
            assertThatThrownBy(() -> child.ask("argument", Duration.ofMillis(200))).hasMessageContaining("No answer");
            var unanswered = child.send("wait");
            child.kill();
            assertThat(child.exitCode()).hasValue(128 + 9);
            assertThat(unanswered).failsWithin(SOON);
            assertThat(child.events()).extracting(ChildEvent::text).containsExactly("ready");
        }
    }

    @Test
    void resumesAfterAPause() {
        try (var child = ChildJvm.start(Parrot.class)) {
            child.pause();
            var answer = child.send("argument");
            child.resume();
            assertThat(answer).succeedsWithin(SOON);
        }
    }

    @Test
    void failureToStartIsReported() {
        assertThatThrownBy(() -> ChildJvm.start(Parrot.class, "fail")).isInstanceOf(ChildFailure.class)
                .hasMessageContaining("instead of starting");
    }
}
