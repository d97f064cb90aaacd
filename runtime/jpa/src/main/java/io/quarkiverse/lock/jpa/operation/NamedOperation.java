package io.quarkiverse.lock.jpa.operation;

import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.table.Statements;

/** An operation on one name. */
public abstract class NamedOperation<T> extends Operation<T> {

    final String name;
    final String id;
    final Steps steps;
    final Statements statements;

    NamedOperation(OperationRunner runner, String name, String id) {
        super(runner);
        this.name = name;
        this.id = id;
        this.steps = runner.steps();
        this.statements = runner.statements();
    }

    @Override
    void submit(Runnable step, Runnable refused) {
        runner.submit(id, step, refused);
    }

    @Override
    boolean onCallersThread(Runnable step) {
        return runner.onCallersThread(id, step);
    }

    @Override
    Throwable explained(Throwable failure) {
        return failure instanceof io.quarkiverse.lock.LockException ? failure : runner.errors().failure(name, failure);
    }

    @Override
    Throwable timedOut() {
        return runner.errors().timeout(name);
    }
}
