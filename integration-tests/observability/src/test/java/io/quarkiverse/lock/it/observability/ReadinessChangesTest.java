package io.quarkiverse.lock.it.observability;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.it.RedisResource;
import io.quarkiverse.lock.it.ZooKeeperResource;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FullBuild;
import io.quarkiverse.lock.testkit.server.ZooKeeperServer;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.smallrye.health.event.SmallRyeHealthStatusChangeEvent;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** The application's observers run on its own threads: a slow one must not hold up a thread that serves locks. */
@FullBuild
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
@QuarkusTestResource(ZooKeeperResource.class)
@QuarkusTestResource(DatabaseResource.class)
@TestProfile(BusyReadinessTest.FewWorkers.class)
class ReadinessChangesTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    ZooKeeperServer zooKeeper;

    @Inject
    Changes changes;

    @Inject
    Vertx vertx;

    /** The application's observer of changes. */
    @Singleton
    public static class Changes {

        private record Place(String thread, Vertx vertx) {
        }

        private final List<Place> places = new CopyOnWriteArrayList<>();

        void changed(@Observes SmallRyeHealthStatusChangeEvent change) {
            Context context = Vertx.currentContext();
            places.add(new Place(Thread.currentThread().getName(), context == null ? null : context.owner()));
        }
    }

    @Test
    void observersDoNotRunOnLockThreads() {
        onceItIs("UP");
        changes.places.clear();
        zooKeeper.stop();
        try {
            onceItIs("DOWN");
        } finally {
            zooKeeper.restart();
        }
        onceItIs("UP");
        assertThat(changes.places).hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(place -> assertThat(place.vertx()).as(place.thread()).isSameAs(vertx));
    }

    private static void onceItIs(String status) {
        Await.until(status, SOON, () -> status.equals(get("/q/health/ready").then().extract().path("status")));
    }
}
