package io.quarkiverse.lock.it.faults.lab;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.testkit.faults.ChildBackend;

/** How a backend can be broken, to see that the laboratory finds it. */
enum Mutant {
    /** It is as it is. */
    NONE,
    /** A release frees the lock whoever has it by then. */
    RELEASE_ANYBODYS,
    /** Some grants have the fencing token of the one before. */
    REUSE_FENCE,
    /** What has been granted is taken to be good from its arrival on: how long it was under way is not looked at. */
    NO_CHECK_AFTER_WAIT,
    /** Whatever the store says of a lost grant, the engine is not told. */
    IGNORE_LOSS,
    /** A lock that has been given back is renewed instead. */
    RENEW_RELEASED,
    /** A grant is handed on inside the JVM, and held, for longer than the store keeps it. */
    BATON_PAST_DEADLINE;

    /**
     * Whether a store can come to harm by it. ZooKeeper's backend looks again by itself before it hands out a grant that was
     * under way for half of its lease, and the other half is less than the part of a session that nobody relies on: what is
     * broken around it there, it makes good.
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

    /** Makes it in the JVM. */
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
