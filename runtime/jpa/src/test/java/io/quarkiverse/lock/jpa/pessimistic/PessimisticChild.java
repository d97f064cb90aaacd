package io.quarkiverse.lock.jpa.pessimistic;

import java.time.Duration;

import io.quarkiverse.lock.testkit.process.ChildMain;

/** Counts under a lock that lives in the transaction of each step. */
public final class PessimisticChild implements ChildMain {

    private TransactionalJvm jvm;

    @Override
    public void start(String[] arguments, Child child) {
        jvm = new TransactionalJvm(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], 8,
                Duration.ofSeconds(30), false);
    }

    @Override
    public String handle(String request, Child child) throws Exception {
        return Integer.toString(jvm.count(Integer.parseInt(request)));
    }
}
