package io.quarkiverse.lock.jpa.deployment;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.hibernate.cfg.SchemaToolingSettings;

import io.quarkiverse.lock.deployment.LockBackendBuildItem;
import io.quarkiverse.lock.deployment.LockBackendReadyBuildItem;
import io.quarkiverse.lock.deployment.LockManagersBuildItem;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.notify.PromptSockets;
import io.quarkiverse.lock.jpa.runtime.JpaLockBackendProvider;
import io.quarkiverse.lock.jpa.runtime.JpaLockBuildConfig;
import io.quarkiverse.lock.jpa.runtime.JpaLockRecorder;
import io.quarkiverse.lock.jpa.runtime.JpaLockStrategy;
import io.quarkiverse.lock.jpa.table.LockClaimRow;
import io.quarkiverse.lock.jpa.table.LockRow;
import io.quarkus.agroal.spi.JdbcDataSourceSchemaReadyBuildItem;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.BeanContainerBuildItem;
import io.quarkus.arc.deployment.SyntheticBeansRuntimeInitBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.arc.processor.DotNames;
import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.Consume;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.nativeimage.NativeImageResourcePatternsBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.hibernate.orm.deployment.PersistenceProviderSetUpBuildItem;
import io.quarkus.hibernate.orm.deployment.PersistenceUnitDescriptorBuildItem;
import io.quarkus.hibernate.orm.deployment.PersistenceXmlDescriptorBuildItem;
import io.quarkus.hibernate.orm.deployment.integration.HibernateOrmIntegrationRuntimeConfiguredBuildItem;
import io.quarkus.hibernate.orm.deployment.spi.AdditionalJpaModelBuildItem;
import io.quarkus.runtime.configuration.ConfigurationException;

/** Offers the application's database as a place for locks. */
class JpaLockProcessor {

    private static final String BACKEND = "jpa";
    /** A multi-tenancy strategy, by its name: the type is deprecated. */
    private static final String SCHEMAS = "SCHEMA";
    private static final String POSTGRES = "io.quarkiverse.lock.jpa.database.PgDriver";

    @BuildStep
    FeatureBuildItem feature() {
        return new FeatureBuildItem("lock-jpa");
    }

    @BuildStep
    LockBackendBuildItem backend(JpaLockBuildConfig config) {
        if (config.strategy() == JpaLockStrategy.PESSIMISTIC) {
            return LockBackendBuildItem.inTransactions(BACKEND, 50, JpaLockBackendProvider.class.getName(),
                    "quarkus.lock.jpa.strategy=lease");
        }
        return new LockBackendBuildItem(BACKEND, 50, JpaLockBackend.FEATURES, JpaLockBackendProvider.class.getName());
    }

    /** Its class needs those of the driver. */
    @BuildStep
    void postgres(BuildProducer<AdditionalBeanBuildItem> beans) {
        if (QuarkusClassLoader.isClassPresentAtRuntime("org.postgresql.PGConnection")) {
            beans.produce(AdditionalBeanBuildItem.builder().addBeanClass(POSTGRES).setDefaultScope(DotNames.SINGLETON)
                    .setUnremovable().build());
        }
    }

    /** Not in an application that keeps its locks elsewhere: its schema is then none of our business. */
    @BuildStep
    void entities(LockManagersBuildItem managers, JpaLockBuildConfig config,
            BuildProducer<AdditionalJpaModelBuildItem> entities) {
        if (managers.uses(BACKEND)) {
            Set<String> unit = Set.of(config.persistenceUnit());
            entities.produce(new AdditionalJpaModelBuildItem(LockRow.class.getName(), unit));
            entities.produce(new AdditionalJpaModelBuildItem(LockClaimRow.class.getName(), unit));
            entities.produce(new AdditionalJpaModelBuildItem(LockClaimRow.Key.class.getName(), unit));
        }
    }

    /** With one that does not exist, the application would not start. */
    @BuildStep
    void checkUnit(LockManagersBuildItem managers, JpaLockBuildConfig config,
            List<PersistenceUnitDescriptorBuildItem> units, BuildProducer<ValidationErrorBuildItem> errors) {
        if (managers.uses(BACKEND) && unit(units, config.persistenceUnit()).isEmpty()) {
            String names = blocking(units).map(PersistenceUnitDescriptorBuildItem::getPersistenceUnitName).sorted()
                    .collect(Collectors.joining(", "));
            errors.produce(new ValidationErrorBuildItem(new ConfigurationException(
                    "quarkus.lock.jpa.persistence-unit=" + config.persistenceUnit() + ": "
                            + (names.isEmpty() ? "the application has no persistence unit of Hibernate ORM; add one"
                                    : "no persistence unit of Hibernate ORM has this name; choose one of " + names)
                            + ", or another lock backend with quarkus.lock.backend",
                    Set.of("quarkus.lock.jpa.persistence-unit"))));
        }
    }

    @BuildStep
    NativeImageResourcePatternsBuildItem tables() {
        return NativeImageResourcePatternsBuildItem.builder().includeGlob("db/quarkus-lock/**").build();
    }

    /** PostgreSQL's driver creates one by class name. */
    @BuildStep
    ReflectiveClassBuildItem sockets() {
        return ReflectiveClassBuildItem.builder(PromptSockets.class).reason("socketFactory of PostgreSQL's driver").build();
    }

    /** Not over a filter of the application's own in a {@code persistence.xml}; those in its configuration win anyway. */
    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    void validation(JpaLockRecorder recorder, LockManagersBuildItem managers, JpaLockBuildConfig config,
            List<PersistenceXmlDescriptorBuildItem> files,
            BuildProducer<HibernateOrmIntegrationRuntimeConfiguredBuildItem> integrations) {
        boolean filtered = files.stream().map(PersistenceXmlDescriptorBuildItem::getDescriptor)
                .anyMatch(unit -> config.persistenceUnit().equals(unit.getName())
                        && unit.getProperties().containsKey(SchemaToolingSettings.HBM2DDL_FILTER_PROVIDER));
        if (managers.uses(BACKEND) && !filtered) {
            integrations.produce(new HibernateOrmIntegrationRuntimeConfiguredBuildItem("Quarkus Lock", config.persistenceUnit())
                    .setInitListener(recorder.validation()));
        }
    }

    /** After the migrations; starts the persistence unit, if Hibernate's own step has not done so. */
    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    @Consume(SyntheticBeansRuntimeInitBuildItem.class)
    @Consume(JdbcDataSourceSchemaReadyBuildItem.class)
    @Consume(PersistenceProviderSetUpBuildItem.class)
    void prepare(JpaLockRecorder recorder, LockManagersBuildItem managers, JpaLockBuildConfig config,
            List<PersistenceUnitDescriptorBuildItem> units, BeanContainerBuildItem beans,
            BuildProducer<LockBackendReadyBuildItem> ready) {
        if (managers.uses(BACKEND)) {
            Optional<String> dataSource = unit(units, config.persistenceUnit())
                    .flatMap(unit -> unit.getConfig().getDataSource());
            recorder.prepare(beans.getValue(), dataSource, unitWithSchemas(units, dataSource));
        }
        ready.produce(new LockBackendReadyBuildItem(BACKEND));
    }

    /**
     * A unit whose tenants have a schema each in the data source of the locks; which schema locks have is known at run time.
     */
    private static Optional<String> unitWithSchemas(List<PersistenceUnitDescriptorBuildItem> units,
            Optional<String> dataSource) {
        return blocking(units).filter(unit -> SCHEMAS.equals(unit.getConfig().getMultiTenancyStrategy().name()))
                .filter(unit -> Optional.ofNullable(unit.getMultiTenancySchemaDataSource())
                        .or(() -> unit.getConfig().getDataSource()).equals(dataSource))
                .map(PersistenceUnitDescriptorBuildItem::getPersistenceUnitName).findFirst();
    }

    private static Optional<PersistenceUnitDescriptorBuildItem> unit(List<PersistenceUnitDescriptorBuildItem> units,
            String name) {
        return blocking(units).filter(unit -> unit.getPersistenceUnitName().equals(name)).findFirst();
    }

    /** Hibernate Reactive has units of its own, which may have the same names. */
    private static Stream<PersistenceUnitDescriptorBuildItem> blocking(List<PersistenceUnitDescriptorBuildItem> units) {
        return units.stream().filter(unit -> !unit.isReactive());
    }
}
