package io.quarkiverse.lock.jpa;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Names of which this JVM is taking something out of the database. What it wants next of the same name comes after that, though
 * it would have another connection: who has timed out must not be in its own way.
 */
final class Undoings {

    private static final class Ongoing {
        private int count;
        private final List<Runnable> after = new ArrayList<>();
    }

    private final Map<String, Ongoing> byId = new HashMap<>();

    synchronized void begin(String id) {
        byId.computeIfAbsent(id, each -> new Ongoing()).count++;
    }

    /** One is done, or will take longer than anybody should wait for. */
    void end(String id) {
        List<Runnable> next;
        synchronized (this) {
            @Nullable
            Ongoing ongoing = byId.get(id);
            if (ongoing == null || --ongoing.count > 0) {
                return;
            }
            byId.remove(id);
            next = ongoing.after;
        }
        next.forEach(Runnable::run);
    }

    /** Runs it when there is none for this name: mostly now. It must not block. */
    void after(String id, Runnable next) {
        synchronized (this) {
            Ongoing ongoing = byId.get(id);
            if (ongoing != null) {
                ongoing.after.add(next);
                return;
            }
        }
        next.run();
    }
}
