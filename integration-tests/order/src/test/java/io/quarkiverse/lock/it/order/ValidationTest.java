package io.quarkiverse.lock.it.order;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/**
 * Invalid arguments are reported before the name of the lock is built, and before the wait; a result is validated inside the
 * lock.
 */
class ValidationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Orders.class, Till.class, Held.class, Completed.class))
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .overrideConfigKey("quarkus.lock.backend", "local");

    @Inject
    LockManager locks;

    @Inject
    Till till;

    @Test
    void fault126_missingNameParameterIsInvalid() {
        assertThat(given().get("/orders/pay").statusCode()).isEqualTo(400);
        assertThat(given().queryParam("id", "7").get("/orders/pay").asString()).isEqualTo("paid 7");
    }

    @Test
    void fault126_invalidRequestDoesNotWait() {
        try (LockHandle hold = locks.lock("till").acquire()) {
            assertThat(given().queryParam("amount", 0).get("/orders/till").statusCode()).isEqualTo(400);
            assertThat(given().queryParam("amount", 0).get("/orders/till-later").statusCode()).isEqualTo(400);
            assertThat(given().queryParam("amount", 1).get("/orders/till").statusCode()).as("busy").isEqualTo(500);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void fault126_invalidBeanCallReportsViolation() {
        try (LockHandle hold = locks.lock("till").acquire()) {
            assertThatThrownBy(() -> till.put(0)).isInstanceOf(ConstraintViolationException.class)
                    .hasMessageContaining("amount");
            assertThatThrownBy(() -> till.label(null)).isInstanceOf(ConstraintViolationException.class);
            assertThat(hold.isValid()).isTrue();
        }
    }

    @Test
    void invalidResultRollsBackInsideTheLock() {
        assertThatThrownBy(() -> till.take("till-8")).isInstanceOf(ConstraintViolationException.class);
        assertThat(Till.ENDS).containsExactly(new Completed(Status.STATUS_ROLLEDBACK, true));
    }

    @Path("/orders")
    public static class Orders {

        @GET
        @Path("pay")
        @Locked("order-{id}")
        public String pay(@QueryParam("id") @NotNull String id) {
            return "paid " + id;
        }

        @GET
        @Path("till")
        @Locked(value = "till", waitFor = "0")
        public String till(@QueryParam("amount") @Min(1) int amount) {
            return "put " + amount;
        }

        @GET
        @Path("till-later")
        @Locked(value = "till", waitFor = "0")
        public Uni<String> tillLater(@QueryParam("amount") @Min(1) int amount) {
            return Uni.createFrom().item("put " + amount);
        }
    }

    record Completed(int status, boolean locked) {
    }

    @ApplicationScoped
    public static class Till {

        static final List<Completed> ENDS = new ArrayList<>();

        @Inject
        TransactionSynchronizationRegistry registry;

        @Inject
        Held held;

        @Locked(value = "till", waitFor = "0")
        void put(@Min(1) int amount) {
        }

        @Locked("label-{text}")
        void label(@NotNull String text) {
        }

        @Locked("{name}")
        @Transactional
        @NotNull
        String take(String name) {
            registry.registerInterposedSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                }

                @Override
                public void afterCompletion(int status) {
                    ENDS.add(new Completed(status, held.is(name)));
                }
            });
            return null;
        }
    }
}
