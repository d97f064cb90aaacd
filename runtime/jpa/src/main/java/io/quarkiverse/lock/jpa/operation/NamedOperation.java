package io.quarkiverse.lock.jpa.operation;

import io.quarkiverse.lock.jpa.JpaLockBackend;

/** Something to do with one name. */
public abstract class NamedOperation<T> extends Operation<T> {

    final String name;
    final String id;

    public NamedOperation(JpaLockBackend backend, String name) {
        this(backend, name, backend.id(name));
    }

    public NamedOperation(JpaLockBackend backend, String name, String id) {
        super(backend);
        this.name = name;
        this.id = id;
    }

    @Override
    public void submit(Runnable step, Runnable refused) {
        backend.undoings().after(id, () -> super.submit(step, refused));
    }

    @Override
    public boolean here(Runnable step) {
        return !backend.undoings().ongoing(id) && super.here(step);
    }

    @Override
    public Throwable explained(Throwable failure) {
        return failure instanceof io.quarkiverse.lock.LockException ? failure : backend.explain().failure(name, failure);
    }

    @Override
    public Throwable timedOut() {
        return backend.explain().timeout(name);
    }
}
