package io.quarkiverse.lock.jpa;

/** Something to do with one name. */
abstract class NameOperation<T> extends Operation<T> {

    final String name;
    final String id;

    NameOperation(JpaLockBackend backend, String name) {
        this(backend, name, backend.id(name));
    }

    NameOperation(JpaLockBackend backend, String name, String id) {
        super(backend);
        this.name = name;
        this.id = id;
    }

    @Override
    void submit(Runnable step, Runnable refused) {
        backend.undoings().after(id, () -> super.submit(step, refused));
    }

    @Override
    boolean here(Runnable step) {
        return !backend.undoings().ongoing(id) && super.here(step);
    }

    @Override
    Throwable explained(Throwable failure) {
        return failure instanceof io.quarkiverse.lock.LockException ? failure : backend.explain().failure(name, failure);
    }

    @Override
    Throwable timedOut() {
        return backend.explain().timeout(name);
    }
}
