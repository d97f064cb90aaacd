package io.quarkiverse.lock.runtime;

import io.quarkiverse.lock.LockLostException;
import io.quarkiverse.lock.engine.Hold;
import io.quarkiverse.lock.engine.HoldSettings;
import io.quarkiverse.lock.engine.Holds;
import io.quarkiverse.lock.engine.Patience;

/** One call under several locks, which are taken one inside the other: how far it has come, and how long it may wait. */
final class SeveralNames {

    private final String[] names;
    private final Patience patience;
    private Holds holds;
    private volatile boolean bound;

    SeveralNames(LockedMethod method, Object[] parameters) {
        names = method.names(parameters);
        patience = new Patience(method.engine(), method.settings());
        holds = new Holds(names.length);
    }

    boolean allTaken() {
        return holds.size() == names.length;
    }

    /** The name to take now. */
    String next() {
        return names[holds.size()];
    }

    /** For the name to take now. */
    HoldSettings settings() {
        return patience.left();
    }

    void taken(Hold hold) {
        holds.add(hold);
    }

    /** A transaction has one of them: what is lost then is lost for the transaction too. */
    void boundToTransaction() {
        bound = true;
    }

    /** @throws LockLostException if one was lost while the others were waited for */
    void beginBody() {
        holds.beginBody();
    }

    /** Whether to begin anew after this failure: nothing has happened yet but that a lock was lost. */
    boolean beginsAnew(Throwable failure) {
        if (!(failure instanceof LockLostException) || holds.bodyBegun() || bound || patience.over()) {
            return false;
        }
        holds = new Holds(names.length);
        return true;
    }
}
