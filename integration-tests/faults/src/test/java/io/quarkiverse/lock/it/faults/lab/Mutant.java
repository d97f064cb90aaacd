package io.quarkiverse.lock.it.faults.lab;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;

/** The ways to break a backend, to see that the laboratory notices. */
enum Mutant {
    /** Not broken. */
    NONE,
    /** A release frees the lock whoever holds it by then. */
    RELEASE_ANYBODYS,
    /** Some grants have the fencing token of the previous one. */
    REUSE_FENCE,
    /** A grant counts as valid from its arrival: its time in flight is ignored. */
    NO_CHECK_AFTER_WAIT,
    /** The engine is never told when the store reports a lost grant. */
    IGNORE_LOSS,
    /** A released lock is renewed instead. */
    RENEW_RELEASED,
    /** A grant is handed on inside the JVM, and held, longer than the store keeps it. */
    BATON_PAST_DEADLINE;

    /**
     * Whether the defect can harm a store. ZooKeeper's backend checks again by itself before it hands out a grant that was in
     * flight for half of its lease, and the other half is shorter than the part of a session that nobody relies on. So it makes
     * up for defects around it.
     */
    boolean harms(String store) {
        return this != NO_CHECK_AFTER_WAIT || !store.startsWith("zookeeper");
    }

    /** The backend of a JVM with this defect. */
    ChildBackend.Spec in(ChildBackend.Spec healthy) {
        if (this == NONE) {
            return healthy;
        }
        var arguments = new ArrayList<>(List.of(name(), healthy.factory().getName()));
        arguments.addAll(healthy.arguments());
        return new ChildBackend.Spec(Backend.class, arguments);
    }

    /** Creates it in the JVM. */
    public static final class Backend implements ChildBackend {

        private ChildBackend healthy = (owner, arguments) -> {
            throw new IllegalStateException();
        };

        @Override
        public LockBackend backend(String owner, List<String> arguments) {
            try {
                healthy = (ChildBackend) Class.forName(arguments.get(1)).getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
            return new MutantBackend(healthy.backend(owner, arguments.subList(2, arguments.size())),
                    valueOf(arguments.get(0)));
        }

        @Override
        public void deed(LockBackend backend, String what) throws Exception {
            healthy.deed(((MutantBackend) backend).healthy(), what);
        }
    }
}
