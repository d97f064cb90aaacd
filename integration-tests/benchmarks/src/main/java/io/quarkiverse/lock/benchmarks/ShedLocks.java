package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

import io.agroal.api.AgroalDataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;

/** ShedLock with the database's time. It tries once and does not wait: for names that nobody else wants. */
final class ShedLocks implements Peer {

    private static final Duration AT_MOST = Duration.ofSeconds(30);

    private final AgroalDataSource pool;
    private final LockProvider provider;

    ShedLocks(String url) {
        pool = PostgresProcess.pool(url);
        provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool)).usingDbTime().build());
    }

    @Override
    public Mutex mutex(String name) {
        return new Mutex() {

            private @Nullable SimpleLock held;

            @Override
            public void lock() {
                held = provider.lock(new LockConfiguration(Instant.now(), name, AT_MOST, Duration.ZERO)).orElseThrow();
            }

            @Override
            public void unlock() {
                SimpleLock lock = held;
                if (lock == null) {
                    throw new IllegalStateException("Not held");
                }
                held = null;
                lock.unlock();
            }
        };
    }

    @Override
    public void close() {
        pool.close();
    }
}
