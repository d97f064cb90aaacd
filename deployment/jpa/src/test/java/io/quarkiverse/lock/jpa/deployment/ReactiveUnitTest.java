package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

import jakarta.persistence.PersistenceUnitTransactionType;

import org.junit.jupiter.api.Test;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.jpa.runtime.JpaLockBuildConfig;
import io.quarkiverse.lock.jpa.runtime.JpaLockStrategy;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.hibernate.orm.deployment.PersistenceUnitDescriptorBuildItem;
import io.quarkus.hibernate.orm.runtime.boot.QuarkusPersistenceUnitDescriptor;

/** Locks cannot use a persistence unit of Hibernate Reactive, even if it has the configured name. */
class ReactiveUnitTest {

    private static final LockBackendBuildItem JPA = new LockBackendBuildItem("jpa", 50, Set.of(), "Provider");
    private static final LockManagersBuildItem MANAGERS = new LockManagersBuildItem(Set.of("<default>"),
            new TreeMap<>(Map.of("<default>", JPA)), List.of(), List.of(JPA));
    private static final JpaLockBuildConfig CONFIG = new JpaLockBuildConfig() {

        @Override
        public String persistenceUnit() {
            return "shop";
        }

        @Override
        public JpaLockStrategy strategy() {
            return JpaLockStrategy.LEASE;
        }
    };

    @Test
    void reactiveUnitCannotStoreLocks() {
        assertThat(problems(unit("shop", true), unit("stock", true))).singleElement().asString()
                .contains("quarkus.lock.jpa.persistence-unit=shop: the application has no persistence unit of Hibernate ORM");
        assertThat(problems(unit("shop", true), unit("stock", false))).singleElement().asString()
                .contains("quarkus.lock.jpa.persistence-unit=shop: no persistence unit of Hibernate ORM has this name; "
                        + "choose one of stock, or another lock backend");
    }

    @Test
    void reactiveUnitDoesNotHideOrmUnit() {
        assertThat(problems(unit("shop", true), unit("shop", false))).isEmpty();
    }

    private static List<String> problems(PersistenceUnitDescriptorBuildItem... units) {
        List<ValidationErrorBuildItem> errors = new ArrayList<>();
        new JpaLockProcessor().checkUnit(MANAGERS, CONFIG, List.of(units), errors::add);
        return errors.stream().flatMap(each -> each.getValues().stream()).map(Throwable::getMessage).toList();
    }

    private static PersistenceUnitDescriptorBuildItem unit(String name, boolean reactive) {
        var descriptor = new QuarkusPersistenceUnitDescriptor(name, null, PersistenceUnitTransactionType.JTA, List.of(),
                new Properties(), reactive);
        return new PersistenceUnitDescriptorBuildItem(descriptor, null, null, List.of(), false, false, Optional.empty(),
                Optional.empty());
    }
}
