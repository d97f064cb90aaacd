package io.quarkiverse.lock.jpa.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import jakarta.inject.Inject;

import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.lock.LockHandle;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.Fault;
import io.quarkus.hibernate.orm.PersistenceUnit;
import io.quarkus.test.QuarkusUnitTest;

/** If the persistence unit names a schema, locks are in it, whichever schema tenants leave set on the connection. */
class QualifiedTableTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = Tenants.application("qualified")
            .overrideRuntimeConfigKey("quarkus.hibernate-orm.locks.database.default-schema", "PUBLIC")
            .setLogRecordPredicate(record -> record.getLoggerName().endsWith(".StartLine"))
            .assertLogRecords(records -> assertThat(records).singleElement().satisfies(record -> assertThat(record.getMessage())
                    .startsWith("Locks are kept by 'jpa' (jdbc:h2:mem:qualified, table PUBLIC.quarkus_lock, "
                            + "persistence unit 'locks'; wait ")));

    @Inject
    LockManager locks;

    @Inject
    AgroalDataSource connections;

    @Inject
    @PersistenceUnit("shop")
    SessionFactory shop;

    @Test
    @Fault(504)
    void fault504_tenantSchemaDoesNotMoveLocks() throws SQLException {
        LockHandle before = locks.lock("stock-7").acquire();
        try (Session session = shop.withOptions().tenantIdentifier((Object) Tenants.TENANT).openSession()) {
            session.createNativeQuery("SELECT 1", Integer.class).getSingleResult();
        }
        try (Connection connection = connections.getConnection()) {
            assertThat(connection.getSchema()).isEqualTo(Tenants.TENANT);
        }
        assertThat(locks.lock("stock-7").tryAcquire(Duration.ZERO)).isEmpty();
        before.close();
        locks.lock("stock-7").tryAcquire(Duration.ZERO).orElseThrow().close();
    }
}
