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
        int times = Integer.parseInt(request.split(" ")[1]);
        for (int i = 0; i < times; i++) {
            jvm.locks.lock("counter", io.quarkiverse.lock.LockOptions.DEFAULTS.withWaitFor(Duration.ofSeconds(120)))
                    .call(() -> {
                        int amount = Integer.parseInt(jvm.read("SELECT amount FROM pess_work WHERE id = 1"));
                        Thread.yield();
                        jvm.execute("UPDATE pess_work SET amount = " + (amount + 1) + " WHERE id = 1");
                        return amount;
                    });
        }
        return Integer.toString(times);
    }
}
