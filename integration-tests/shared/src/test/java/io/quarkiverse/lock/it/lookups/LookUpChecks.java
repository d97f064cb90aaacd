package io.quarkiverse.lock.it.lookups;

import java.io.IOException;
import java.util.Map;

import org.junit.jupiter.api.Nested;

import io.quarkiverse.lock.it.BusyChecks;
import io.quarkiverse.lock.it.LockManagerChecks;
import io.quarkiverse.lock.it.LossChecks;
import io.quarkiverse.lock.it.NamedManagerChecks;
import io.quarkiverse.lock.it.Node;
import io.quarkiverse.lock.it.OrderChecks;

/** Runs the integration tests against the application whose look-ups are compared. */
public abstract class LookUpChecks extends LookUpComparison {

    private static final String READY = "/orders/most-at-once";

    /** Starts the application once more; the checks use the one that was started first. */
    protected static Node trace(String name, Map<String, String> properties) throws IOException {
        return traceUntil(READY, name, properties);
    }

    @Nested
    class Managers extends LockManagerChecks {

        @Override
        protected long extendedSeconds() {
            return LookUpChecks.this.extendedSeconds();
        }
    }

    protected long extendedSeconds() {
        return 300;
    }

    @Nested
    class NamedManagers extends NamedManagerChecks {

        @Override
        protected long leaseSeconds() {
            return LookUpChecks.this.leaseSeconds();
        }
    }

    protected long leaseSeconds() {
        return 600;
    }

    @Nested
    class Orders extends OrderChecks {
    }

    @Nested
    class Busy extends BusyChecks {
    }

    @Nested
    class Losses extends LossChecks {
    }
}
