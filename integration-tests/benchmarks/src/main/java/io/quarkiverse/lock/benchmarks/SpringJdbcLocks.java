package io.quarkiverse.lock.benchmarks;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

import io.agroal.api.AgroalDataSource;

/** Spring Integration's lock registry in a database, with Spring's defaults except for the expiry. It does not renew. */
final class SpringJdbcLocks implements Peer {

    private static final int EXPIRY_MILLIS = (int) Duration.ofSeconds(30).toMillis();

    private final AgroalDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    SpringJdbcLocks(String url) {
        pool = PostgresProcess.pool(url);
        repository = new DefaultLockRepository(pool);
        repository.setTimeToLive(EXPIRY_MILLIS);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        registry = new JdbcLockRegistry(repository);
    }

    @Override
    public Mutex mutex(String name) {
        Lock lock = registry.obtain(name);
        return new Mutex() {

            @Override
            public void lock() {
                lock.lock();
            }

            @Override
            public void unlock() {
                lock.unlock();
            }
        };
    }

    @Override
    public void close() {
        repository.stop();
        repository.close();
        pool.close();
    }
}
