package io.quarkiverse.lock.jpa.deployment;

import java.util.concurrent.Callable;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Transactional;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.LockMode;
import io.quarkiverse.lock.Locked;

/** Reads a counter and writes it back: exact only under a lock that is released after the commit. */
@ApplicationScoped
public class Orders {

    @Inject
    EntityManager entities;

    @Inject
    LockManager locks;

    @Locked("counter-{id}")
    @Transactional
    public void add(long id) {
        Counter counter = entities.find(Counter.class, id);
        int value = counter.value;
        Thread.yield();
        counter.value = value + 1;
    }

    @Locked(value = "counter-{id}", mode = LockMode.SHARED)
    public <T> T reading(long id, Callable<T> inside) throws Exception {
        return inside.call();
    }

    @Locked(value = "export-{id}", limit = 2)
    public <T> T exporting(long id, Callable<T> inside) throws Exception {
        return inside.call();
    }

    @Locked("counter-{id}")
    @Transactional
    public void addAndFail(long id) {
        entities.find(Counter.class, id).value += 1000;
        entities.flush();
        throw new IllegalStateException("roll back");
    }

    @Locked("{name}")
    public long lockInTransaction(String name) {
        return locks.inspect(name).orElseThrow().holders().size();
    }

    @Locked("counter-{id}")
    @Transactional
    public void addAndLoseInTheFlush(long id) {
        Counter counter = entities.find(Counter.class, id);
        counter.value += 1000;
        counter.beforeUpdate = () -> locks.forceRelease("counter-" + id);
    }

    @Transactional
    public void create(long id) {
        var counter = new Counter();
        counter.id = id;
        entities.persist(counter);
    }

    @Transactional
    public int value(long id) {
        return entities.find(Counter.class, id).value;
    }

    @Transactional
    public Object single(String sql) {
        return entities.createNativeQuery(sql).getSingleResult();
    }
}
