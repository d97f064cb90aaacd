package io.quarkiverse.lock.engine.news;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** What lies behind a failure. */
public final class Causes {

    private Causes() {
    }

    /** The failure, its cause, that one's cause and so on, each once: there are circles. */
    public static List<Throwable> of(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable cause = failure; cause != null && seen.add(cause); cause = cause.getCause()) {
            causes.add(cause);
        }
        return causes;
    }
}
