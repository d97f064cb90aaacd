package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.post;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.Await;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A flight recording shows who has waited and held, whatever the store. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
class RecordingsTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    @Inject
    RecordedSpans spans;

    @Inject
    TracedJobs jobs;

    @Inject
    MeterRegistry meters;

    @TempDir
    Path directory;

    /** The first recording makes the JVM load the events; meanwhile it may miss one of them. */
    @ParameterizedTest
    @CsvSource({ "redis, 1001", "local, 1002", "zookeeper, 1003", "jpa, 1004" })
    void showTheCaller(String store, int id) throws Exception {
        recorded(store, id + 1000);
        List<RecordedEvent> events = recorded(store, id);

        assertThat(events).allSatisfy(event -> assertThat(event.getString("backend")).isEqualTo(store));
        assertThat(of("quarkus.lock.Wait", events)).hasSize(3)
                .allSatisfy(wait -> assertThat(wait.getString("outcome")).isEqualTo("granted"))
                .anySatisfy(wait -> assertThat(frames(wait)).contains("TracedResource.hold"))
                .anySatisfy(wait -> assertThat(frames(wait)).contains("TracedResource.call"))
                .anySatisfy(wait -> assertThat(frames(wait)).contains("TracedResource.lose"));
        assertThat(of("quarkus.lock.Hold", events)).hasSize(2)
                .allSatisfy(hold -> assertThat(hold.getLong("token")).isPositive());
        assertThat(of("quarkus.lock.Lost", events)).hasSize(1)
                .allSatisfy(loss -> assertThat(loss.getString("reason")).isNotBlank());
    }

    private List<RecordedEvent> recorded(String store, int id) throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("quarkus.lock.Wait");
            recording.enable("quarkus.lock.Hold");
            recording.enable("quarkus.lock.Lost");
            recording.start();
            contended(store, id);
            double losses = losses();
            answer("lose/" + store, id);
            Await.until("the loss is counted, which it is after it was recorded", SOON, () -> losses() > losses);
            recording.stop();
            Path file = directory.resolve("recording-" + id + ".jfr");
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getString("name").equals("traced-" + id)).toList();
        }
    }

    private double losses() {
        return meters.find("quarkus.lock.lost").counters().stream().mapToDouble(Counter::count).sum();
    }

    private void contended(String store, int id) {
        CompletableFuture<String> holding = Elsewhere.start(() -> answer("hold/" + store, id));
        jobs.awaitBegun();
        int waits = waits();
        CompletableFuture<String> waiting = Elsewhere.start(() -> answer("call/" + store, id));
        Await.until("the other one waits", SOON, () -> waits() > waits);
        jobs.end();
        holding.join();
        waiting.join();
    }

    private int waits() {
        return (int) spans.begun().stream().filter(span -> span.getName().startsWith("lock wait")).count();
    }

    private static String answer(String way, int id) {
        return post("traced/" + way + "/" + id).then().statusCode(200).extract().asString();
    }

    private static List<RecordedEvent> of(String type, List<RecordedEvent> events) {
        return events.stream().filter(event -> event.getEventType().getName().equals(type)).toList();
    }

    private static List<String> frames(RecordedEvent event) {
        return event.getStackTrace().getFrames().stream()
                .map(frame -> frame.getMethod().getType().getName().replaceAll(".*\\.", "") + "." + frame.getMethod().getName())
                .toList();
    }
}
