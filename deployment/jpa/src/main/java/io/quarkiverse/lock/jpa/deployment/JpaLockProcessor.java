package io.quarkiverse.lock.jpa.deployment;

import java.util.List;
import java.util.Optional;
import java.util.Set;

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
import io.quarkus.hibernate.orm.deployment.spi.AdditionalJpaModelBuildItem;

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

    @BuildStep
    NativeImageResourcePatternsBuildItem tables() {
        return NativeImageResourcePatternsBuildItem.builder().includeGlob("db/quarkus-lock/**").build();
    }

    /** PostgreSQL's driver creates one by class name. */
    @BuildStep
    ReflectiveClassBuildItem sockets() {
        return ReflectiveClassBuildItem.builder(PromptSockets.class).reason("socketFactory of PostgreSQL's driver").build();
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
            recorder.prepare(beans.getValue(), unitWithSchemas(units, config.persistenceUnit()));
        }
        ready.produce(new LockBackendReadyBuildItem(BACKEND));
    }

    /**
     * A unit whose tenants have a schema each in the data source of the locks; which schema locks have is known at run time.
     */
    private static Optional<String> unitWithSchemas(List<PersistenceUnitDescriptorBuildItem> units, String ofLocks) {
        Optional<String> dataSource = units.stream().filter(unit -> unit.getPersistenceUnitName().equals(ofLocks)).findFirst()
                .flatMap(unit -> unit.getConfig().getDataSource());
        return units.stream()
                .filter(unit -> SCHEMAS.equals(unit.getConfig().getMultiTenancyStrategy().name()) && !unit.isReactive())
                .filter(unit -> Optional.ofNullable(unit.getMultiTenancySchemaDataSource())
                        .or(() -> unit.getConfig().getDataSource()).equals(dataSource))
                .map(PersistenceUnitDescriptorBuildItem::getPersistenceUnitName).findFirst();
    }
}
