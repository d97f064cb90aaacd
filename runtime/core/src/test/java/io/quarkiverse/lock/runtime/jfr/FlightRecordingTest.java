package io.quarkiverse.lock.runtime.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.engine.SystemTime;
import io.quarkiverse.lock.local.LocalBackend;
import io.quarkiverse.lock.local.LocalStore;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** What a flight recording contains about locks if it starts after their first use. */
class FlightRecordingTest {

    private static final Pattern TABLE_ROW = Pattern.compile("^\\|`(\\w+)` \\|");

    @TempDir
    Path directory;

    private final SystemTime time = new SystemTime();
    private final LockEngine engine = LockEngine.builder(new LocalBackend(new LocalStore(time), "somebody")).time(time)
            .recording(new FlightRecording(Duration.ZERO)).start();
    private final LockManager locks = engine.manager(ManagerDefaults.STANDARD);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void fault477_centuriesCountAsUnlimited() {
        assertThat(new FlightRecording(Duration.ofDays(365_000)).thresholdNanos()).isEqualTo(Long.MAX_VALUE / 2);
    }

    @Test
    void eventsAreRecordedOnceRecordingStarts() throws Exception {
        locks.lock("before").acquire().close();
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable("quarkus.lock.Wait");
            recording.enable("quarkus.lock.Hold");
            recording.enable("quarkus.lock.Lost");
            recording.start();
            locks.lock("first").acquire().close();
            contended();
            LockHandle lost = locks.lock("lost").acquire();
            locks.forceRelease("lost");
            lost.close();
            locks.lock("last").acquire().close();
            recording.stop();
            Path file = directory.resolve("recording.jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file);
        }

        assertThat(of(events, "quarkus.lock.Wait")).extracting(FlightRecordingTest::name).contains("first", "contended", "last")
                .doesNotContain("before");
        assertThat(of(events, "quarkus.lock.Hold")).extracting(FlightRecordingTest::name).contains("first", "contended", "last")
                .doesNotContain("before", "lost");
        assertThat(of(events, "quarkus.lock.Lost")).hasSize(1).first().satisfies(event -> {
            assertThat(name(event)).isEqualTo("lost");
            assertThat(event.getString("reason")).contains("force-released");
            assertThat(event.getStackTrace()).isNull();
        });
        RecordedEvent waited = of(events, "quarkus.lock.Wait").stream()
                .filter(event -> name(event).equals("contended") && event.getThread().getJavaName().equals("waiter"))
                .findFirst().orElseThrow();
        assertThat(waited.getString("outcome")).isEqualTo("granted");
        assertThat(waited.getString("backend")).isEqualTo("local");
        assertThat(waited.getString("manager")).isEqualTo("<default>");
        assertThat(waited.getString("mode")).isEqualTo("exclusive");
        assertThat(waited.getLong("token")).isPositive();
        assertThat(waited.getDuration("waited")).isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(waited.getStackTrace().getFrames()).extracting(FlightRecordingTest::method)
                .contains("FlightRecordingTest.waits");
    }

    @Test
    void guideListsAllEventFields() throws IOException {
        Set<String> fields = new TreeSet<>();
        for (Class<? extends Event> type : List.of(WaitEvent.class, HoldEvent.class, LostEvent.class)) {
            EventType.getEventType(type).getFields().forEach(field -> fields.add(field.getName()));
        }
        fields.removeAll(Set.of("startTime", "duration", "eventThread", "stackTrace"));

        List<String> page = Files.readAllLines(Path.of("../../docs/modules/ROOT/pages/observability.adoc"));
        assertThat(page.subList(page.indexOf("[#recordings]"), page.size()).stream().map(TABLE_ROW::matcher)
                .filter(Matcher::find).map(row -> row.group(1))).containsExactlyInAnyOrderElementsOf(fields);
    }

    private void contended() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        LockHandle first = locks.lock("contended").acquire();
        Thread waiter = new Thread(() -> waits(begun), "waiter");
        waiter.start();
        begun.await();
        while (!inLine() || waiter.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        first.close();
        waiter.join();
    }

    private boolean inLine() {
        return engine.census().take().values().stream().anyMatch(count -> count.waiting() > 0);
    }

    private void waits(CountDownLatch begun) {
        begun.countDown();
        locks.lock("contended").acquire().close();
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String type) {
        return events.stream().filter(event -> event.getEventType().getName().equals(type)).toList();
    }

    private static String name(RecordedEvent event) {
        return event.getString("name");
    }

    private static String method(RecordedFrame frame) {
        return frame.getMethod().getType().getName().replaceAll(".*\\.", "") + "." + frame.getMethod().getName();
    }
}
