package io.quarkiverse.lock.runtime.management;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.state.Patience;
import io.quarkiverse.lock.runtime.manager.LockEngines;
import io.quarkiverse.lock.runtime.manager.LockManagers;
import io.quarkiverse.lock.spi.LockBackend;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/** The managers that operators can name. */
final class Managers {

    private final LockEngines engines;

    Managers(LockEngines engines) {
        this.engines = engines;
    }

    List<String> names() {
        return List.copyOf(engines.managers());
    }

    boolean switchedOff() {
        return engines.off();
    }

    /**
     * @param manager the name the operator has sent
     * @return the manager's name
     * @throws RefusedException if there is no manager of this name
     */
    String named(@Nullable String manager) {
        if (manager == null || manager.isEmpty()) {
            return LockManagers.DEFAULT;
        }
        Set<String> known = engines.managers();
        if (!known.contains(manager)) {
            throw new RefusedException(404, "There is no lock manager '" + PrintableName.of(manager) + "', only "
                    + String.join(", ", known));
        }
        return manager;
    }

    /** How many callers of this JVM wait for a lock, including those the store does not know of. */
    int waitingHere(String manager, String name) {
        return engines.off() ? 0 : engines.engine(manager).census().waiting(name);
    }

    /**
     * Asks a manager, for no longer than blocking callers would wait.
     *
     * @param can whether a backend can answer that
     */
    <T> Uni<T> ask(String manager, Predicate<LockBackend> can, Function<LockManager, Uni<T>> question) {
        Uni<T> asked = Uni.createFrom().deferred(() -> question.apply(engines.manager(manager)));
        if (engines.off()) {
            return asked;
        }
        LockEngine engine = engines.engine(manager);
        LockBackend backend = engine.backend();
        Uni<T> answer = asked.onFailure(IllegalStateException.class)
                .transform(failure -> can.test(backend) ? failure : new UnableException(failure));
        Duration atMost = Patience.with(backend);
        return Uni.createFrom().emitter(reply -> {
            // Not Mutiny's timer, which needs a worker of the application
            LockTime.Timer patience = engine.time().schedule(atMost.toNanos(), () -> reply.fail(new RefusedException(503,
                    "Lock backend '" + backend.name() + "' has not answered within " + atMost.toMillis()
                            + " ms; check its connection settings")));
            answer.onTermination().invoke(patience::cancel).subscribe().with(reply::complete, reply::fail);
        });
    }
}
