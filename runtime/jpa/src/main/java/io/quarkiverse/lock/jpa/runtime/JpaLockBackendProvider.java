package io.quarkiverse.lock.jpa.runtime;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

import org.hibernate.SessionFactory;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.TransactionRequirement;
import io.agroal.api.transaction.TransactionIntegration;
import io.quarkiverse.lock.jpa.JpaLockBackend;
import io.quarkiverse.lock.jpa.LockDatabase;
import io.quarkiverse.lock.jpa.database.JpaLockOptions;
import io.quarkiverse.lock.jpa.database.PostgresDriver;
import io.quarkiverse.lock.jpa.pessimistic.JtaLockTransactions;
import io.quarkiverse.lock.jpa.pessimistic.PessimisticLockBackend;
import io.quarkiverse.lock.jpa.pessimistic.PoolSizeCheck;
import io.quarkiverse.lock.jpa.schema.Schema;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockBackendProvider;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import io.quarkus.hibernate.orm.runtime.JPAConfig;

/** Makes backends in the database of a persistence unit. They all share its statements and threads. */
@Singleton
public class JpaLockBackendProvider implements LockBackendProvider {

    private final JpaLockConfig config;
    private final JpaLockBuildConfig buildConfig;
    /** Absent from an application without Hibernate ORM, which is then refused for lack of a persistence unit. */
    private final Instance<JPAConfig> persistenceUnits;
    private final JtaLockTransactions transactions;
    private final @Nullable PostgresDriver postgres;

    /** For messages: how the data source's properties begin. */
    private String dataSourceProperties = "quarkus.datasource.";

    private final ReentrantLock connecting = new ReentrantLock();
    private @Nullable LockDatabase database;

    JpaLockBackendProvider(JpaLockConfig config, JpaLockBuildConfig buildConfig, Instance<JPAConfig> persistenceUnits,
            TransactionManager manager, TransactionSynchronizationRegistry registry, Instance<PostgresDriver> postgres) {
        this.config = config;
        this.buildConfig = buildConfig;
        this.persistenceUnits = persistenceUnits;
        this.transactions = new JtaLockTransactions(manager, registry);
        this.postgres = postgres.isUnsatisfied() ? null : postgres.get();
    }

    @Override
    public String name() {
        return "jpa";
    }

    @Override
    public LockBackend create(String namespace, String owner) {
        if (buildConfig.strategy() == JpaLockStrategy.PESSIMISTIC) {
            return new PessimisticLockBackend(database(), sessions(), transactions, namespace, owner);
        }
        return new JpaLockBackend(database(), namespace, owner);
    }

    @Override
    public String place() {
        String unit = buildConfig.persistenceUnit();
        String url = JdbcUrl.printable(dataSource(sessions(), unit).getConfiguration().connectionPoolConfiguration()
                .connectionFactoryConfiguration().jdbcUrl());
        return (url.isEmpty() ? "" : url + ", ") + "table " + database().lockTable() + ", persistence unit '" + unit + "'";
    }

    /** Creates the tables if configured, and checks whether they can be used. */
    void prepare(Optional<String> dataSource, Optional<String> unitWithSchemas) {
        dataSourceProperties = DataSourceUtil
                .dataSourcePropertyKey(dataSource.orElse(DataSourceUtil.DEFAULT_DATASOURCE_NAME), "");
        refuseStrictPool();
        unitWithSchemas.ifPresent(this::refuseSchemaOfTenant);
        Schema schema = new Schema(database());
        if (config.createTable()) {
            schema.create();
        }
        if (buildConfig.strategy() == JpaLockStrategy.PESSIMISTIC) {
            schema.check();
            checkPool();
        } else {
            schema.checkForLeases();
        }
    }

    /** Its refusal of each statement of locks outside a transaction would be taken for a database that cannot be reached. */
    private void refuseStrictPool() {
        if (pool().transactionRequirement() == TransactionRequirement.STRICT) {
            throw new IllegalStateException(dataSourceProperties + "jdbc.transaction-requirement=strict forbids statements "
                    + "outside a transaction, and locks need such statements. Remove it, or give locks a persistence unit "
                    + "with another data source, and name it with quarkus.lock.jpa.persistence-unit");
        }
    }

    /** Hibernate leaves the tenant's schema set on a connection of the pool, and locks would then be in that schema. */
    private void refuseSchemaOfTenant(String unitWithSchemas) {
        if (!database().lockTable().contains(".")) {
            String unit = buildConfig.persistenceUnit();
            throw new IllegalStateException("The persistence unit '" + unitWithSchemas + "' has multitenant=SCHEMA, and leaves "
                    + "connections of the data source that it shares with locks in the schema of some tenant. Name the schema "
                    + "of their tables with quarkus.hibernate-orm.\"" + unit + "\".database.default-schema (default-catalog "
                    + "on MariaDB and MySQL), or give that persistence unit another data source");
        }
    }

    private AgroalConnectionPoolConfiguration pool() {
        return dataSource(sessions(), buildConfig.persistenceUnit()).getConfiguration().connectionPoolConfiguration();
    }

    private void checkPool() {
        AgroalConnectionPoolConfiguration pool = pool();
        if (pool.transactionIntegration() == TransactionIntegration.none()) {
            throw new IllegalStateException(
                    "quarkus.lock.jpa.strategy=pessimistic puts locks into transactions, but the data "
                            + "source takes no part in them: set " + dataSourceProperties + "jdbc.transactions=enabled, "
                            + "or quarkus.lock.jpa.strategy=lease");
        }
        PoolSizeCheck.check(pool.maxSize(), dataSourceProperties);
    }

    private SessionFactory sessions() {
        String unit = buildConfig.persistenceUnit();
        try {
            return persistenceUnits.get().getEntityManagerFactory(unit, false).unwrap(SessionFactory.class);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("Locks cannot be taken: the persistence unit '" + unit
                    + "', which is to keep them, is not active (quarkus.hibernate-orm.active=false?). Set "
                    + "quarkus.lock.enabled=false as well, or name another one with quarkus.lock.jpa.persistence-unit: "
                    + e.getMessage(), e);
        }
    }

    private LockDatabase database() {
        connecting.lock();
        try {
            if (database == null || database.closed()) {
                database = connect();
            }
            return database;
        } finally {
            connecting.unlock();
        }
    }

    private LockDatabase connect() {
        String unit = buildConfig.persistenceUnit();
        SessionFactory sessions = sessions();
        AgroalDataSource dataSource = dataSource(sessions, unit);
        int pool = dataSource.getConfiguration().connectionPoolConfiguration().maxSize();
        var options = new JpaLockOptions(config.operationTimeout(), Math.min(config.threads(), pool), config.listen(),
                config.purgeAfter(), dataSourceProperties, grace());
        return LockDatabase.of(dataSource, sessions, new OwnConnection(dataSource), postgres, options);
    }

    private @Nullable Duration grace() {
        if (config.afterFailover() == JpaLockConfig.AfterFailover.AT_ONCE) {
            return null;
        }
        if (buildConfig.strategy() == JpaLockStrategy.PESSIMISTIC) {
            throw new IllegalStateException(
                    "quarkus.lock.jpa.after-failover=grace is for quarkus.lock.jpa.strategy=lease: with "
                            + "pessimistic a lock ends with its transaction, which does not survive a fail-over. Remove it, or "
                            + "choose the other strategy");
        }
        return config.longestLease();
    }

    private static AgroalDataSource dataSource(SessionFactory sessions, String unit) {
        ConnectionProvider provider = sessions.unwrap(SessionFactoryImplementor.class).getServiceRegistry()
                .getService(ConnectionProvider.class);
        if (provider == null || !provider.isUnwrappableAs(AgroalDataSource.class)) {
            throw new IllegalStateException("Locks need one data source, but the persistence unit '" + unit
                    + "' has none, or its tenants have one or a schema each. Give them a persistence unit of their own, and "
                    + "name it with quarkus.lock.jpa.persistence-unit. If it shares the data source of tenants that have a "
                    + "schema each, also set its database.default-schema");
        }
        return provider.unwrap(AgroalDataSource.class);
    }
}
