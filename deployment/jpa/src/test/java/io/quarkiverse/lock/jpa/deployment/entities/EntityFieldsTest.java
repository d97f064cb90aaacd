package io.quarkiverse.lock.jpa.deployment.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;

import org.hibernate.Hibernate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.lock.HeldLock;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.arc.Arc;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.QuarkusUnitTest;

/** An entity has the same lock whether it is loaded or not. */
class EntityFieldsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(Numbered.class, Product.class, Vehicle.class, Truck.class, Unmapped.class,
                            Shelves.class))
            .overrideConfigKey("quarkus.datasource.db-kind", "h2")
            .overrideConfigKey("quarkus.datasource.jdbc.url", "jdbc:h2:mem:fields;DB_CLOSE_DELAY=-1")
            .overrideConfigKey("quarkus.hibernate-orm.schema-management.strategy", "drop-and-create")
            .overrideConfigKey("quarkus.lock.backend", "local")
            .overrideConfigKey("quarkus.lock.active-transaction", "join");

    @Inject
    EntityManager entities;

    @Inject
    Shelves shelves;

    @BeforeEach
    void store() {
        QuarkusTransaction.requiringNew().run(() -> {
            Product next = new Product();
            next.id = 2L;
            next.shelf = 8;
            entities.merge(next);
            Product product = new Product();
            product.id = 1L;
            product.place = 3;
            product.shelf = 7;
            product.sold = true;
            product.aisle = "left";
            product.written = 4;
            product.successor = entities.getReference(Product.class, 2L);
            entities.merge(product);
            Truck truck = new Truck();
            truck.id = 1L;
            truck.wheels = 6;
            truck.axles = 3;
            entities.merge(truck);
        });
    }

    @Test
    @Fault(105)
    void fault105_loadedAndUnloadedEntityShareOneLock() {
        both(Product.class, shelves::shelf, "shelf-7");
        both(Product.class, shelves::inherited, "place-3");
        both(Product.class, shelves::id, "product-1");
        both(Product.class, shelves::several, "true-left-4");
        both(Product.class, shelves::successor, "shelf-8");
        both(Product.class, shelves::untold, "note-none");
    }

    @Test
    @Fault(105)
    void fault105_proxyHasTheLockOfItsEntity() {
        both(Vehicle.class, shelves::wheels, "wheels-6");
    }

    @Test
    @Fault(380)
    void fault380_proxyWithoutToStringIsRejectedLikeItsEntity() {
        for (boolean loaded : new boolean[] { true, false }) {
            inTransaction(() -> {
                Vehicle vehicle = loaded ? entities.find(Vehicle.class, 1L) : entities.getReference(Vehicle.class, 1L);
                for (Object each : List.of(vehicle, List.of(vehicle))) {
                    assertThatThrownBy(() -> shelves.anything(each)).as("loaded %s", loaded)
                            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("{it}")
                            .hasMessageContaining(loaded ? "Truck" : "Vehicle").hasMessageContaining("toString()");
                }
                return null;
            });
        }
    }

    @Test
    @Fault(173)
    void fault173_transientFieldsAreReadAfterLoading() {
        both(Product.class, shelves::noted, "noted-7");
        both(Product.class, shelves::passing, "passing-7");
        both(Vehicle.class, shelves::tyres, "tyres-6");
    }

    @Test
    void unmanagedObjectsAreReadDirectly() {
        assertThat(shelves.unmapped(new Unmapped())).isEqualTo("shelf-5");
        Product made = new Product();
        made.shelf = 9;
        assertThat(shelves.shelf(made)).isEqualTo("shelf-9");
        made.noted = 3;
        assertThat(shelves.noted(made)).isEqualTo("noted-3");
    }

    private <E> void both(Class<E> type, Function<E, String> name, String expected) {
        assertThat(inTransaction(() -> name.apply(entities.find(type, 1L)))).as("loaded").isEqualTo(expected);
        assertThat(inTransaction(() -> {
            E unloaded = entities.getReference(type, 1L);
            assertThat(Hibernate.isInitialized(unloaded)).isFalse();
            return name.apply(unloaded);
        })).as("not loaded").isEqualTo(expected);
    }

    private static <T> T inTransaction(Supplier<T> body) {
        return QuarkusTransaction.requiringNew().call(body::get);
    }

    @ApplicationScoped
    public static class Shelves {

        @Locked("shelf-{product.shelf}")
        String shelf(Product product) {
            return held();
        }

        @Locked("place-{product.place}")
        String inherited(Product product) {
            return held();
        }

        @Locked("product-{product.id}")
        String id(Product product) {
            return held();
        }

        @Locked("{product.sold}-{product.aisle}-{product.written}")
        String several(Product product) {
            return held();
        }

        @Locked("shelf-{product.successor.shelf}")
        String successor(Product product) {
            return held();
        }

        @Locked("note-{product.note}")
        String untold(Product product) {
            return held();
        }

        @Locked("noted-{product.noted}")
        String noted(Product product) {
            return held();
        }

        @Locked("passing-{product.passing}")
        String passing(Product product) {
            return held();
        }

        @Locked("tyres-{vehicle.tyres}")
        String tyres(Vehicle vehicle) {
            return held();
        }

        @Locked("wheels-{vehicle.wheels}")
        String wheels(Vehicle vehicle) {
            return held();
        }

        @Locked("{it}")
        String anything(Object it) {
            return held();
        }

        @Locked("shelf-{unmapped.shelf}")
        String unmapped(Unmapped unmapped) {
            return held();
        }

        private static String held() {
            return Arc.container().instance(LockManager.class).get().held().stream().map(HeldLock::name).findFirst()
                    .orElse("nothing");
        }
    }
}
