package io.quarkiverse.lock.jpa.deployment.pessimistic;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.Locked;
import io.quarkiverse.lock.jpa.deployment.Counter;
import io.quarkus.narayana.jta.runtime.TransactionConfiguration;

/** Work under a lock that lives in its transaction. */
@ApplicationScoped
public class Stock {

    @Inject
    EntityManager entities;

    @Inject
    TransactionManager transactions;

    @Inject
    LockManager locks;

    @Inject
    Stock self;

    /** Reads and writes back: exact only if the next one reads after the commit. */
    @Locked("counter-{id}")
    @Transactional
    public void add(long id) {
        Counter counter = entities.find(Counter.class, id);
        int value = counter.value;
        Thread.yield();
        counter.value = value + 1;
    }

    @Locked("counter-{id}")
    public void addWithoutAnnotation(long id) {
        Counter counter = entities.find(Counter.class, id);
        counter.value = counter.value + 1;
    }

    @Locked("counter-{id}")
    @Transactional
    public void addAndFail(long id) {
        entities.find(Counter.class, id).value += 1000;
        entities.flush();
        throw new IllegalStateException("roll back");
    }

    @Locked("counter-{id}")
    public void addAndFailWithoutAnnotation(long id) {
        entities.find(Counter.class, id).value += 1000;
        entities.flush();
        throw new IllegalStateException("roll back");
    }

    @Locked("{name}")
    public int statusInside(String name) throws Exception {
        return transactions.getStatus();
    }

    @Locked("{name}")
    public <T> T inside(String name, Callable<T> body) throws Exception {
        return body.call();
    }

    @Locked("{name}")
    @Transactional
    public <T> T inTransaction(String name, Callable<T> body) throws Exception {
        return body.call();
    }

    @Locked(value = "{name}", waitFor = "0")
    public boolean now(String name) {
        return true;
    }

    @Locked(value = { "{one}", "{other}" }, waitFor = "0")
    public boolean both(String one, String other) {
        return self.now(one) && self.now(other);
    }

    @Locked(value = { "{one}", "{other}" }, waitFor = "0", onBusy = Locked.OnBusy.SKIP)
    public @Nullable String bothOrSkip(String one, String other) {
        return "both";
    }

    @Locked(value = "{name}", waitFor = "0", onBusy = Locked.OnBusy.FALLBACK, fallbackMethod = "instead")
    public String replaced(String name) {
        return "locked";
    }

    String instead(String name) {
        return "instead of " + name;
    }

    @Locked(value = "{name}", waitFor = "0", onBusy = Locked.OnBusy.FALLBACK, fallbackMethod = "statusInstead")
    public int statusOrInstead(String name) {
        throw new AssertionError("it is busy");
    }

    /** A failure that is caught here would doom the transaction in which this runs. */
    int statusInstead(String name) throws Exception {
        try {
            self.fail();
        } catch (IllegalStateException e) {
            return transactions.getStatus();
        }
        throw new AssertionError("it has to fail");
    }

    @Transactional
    public void fail() {
        throw new IllegalStateException("on purpose");
    }

    @Locked({ "{one}", "{other}" })
    public <T> T under(String one, String other, Callable<T> body) throws Exception {
        return body.call();
    }

    @Locked(value = "{name}", waitFor = "300ms", onBusy = Locked.OnBusy.SKIP)
    public @Nullable Boolean orSkip(String name) {
        return true;
    }

    @Locked("{name}")
    @Transactional(TxType.REQUIRES_NEW)
    public boolean requiresNew(String name) {
        return true;
    }

    @Locked("{name}")
    @Transactional(TxType.NOT_SUPPORTED)
    public boolean withoutTheCallers(String name) {
        return true;
    }

    @Locked("{name}")
    @Transactional
    public boolean nestedRequiresNew(String name) {
        return self.requiresNew(name);
    }

    @Locked("{name}")
    @Transactional
    @TransactionConfiguration(timeout = 1)
    public String tooLong(String name, CountDownLatch until) throws InterruptedException {
        until.await();
        return "done";
    }

    @Locked("{name}")
    public String markedForRollback(String name) throws Exception {
        transactions.setRollbackOnly();
        return transactions.getStatus() == Status.STATUS_MARKED_ROLLBACK ? "marked" : "not marked";
    }

    public void flush() {
        entities.flush();
    }

    public Object single(String sql) {
        return entities.createNativeQuery(sql).getSingleResult();
    }

    @Transactional
    public void create(long id) {
        Counter counter = new Counter();
        counter.id = id;
        entities.persist(counter);
    }

    @Transactional
    public int value(long id) {
        return entities.find(Counter.class, id).value;
    }
}
