package io.quarkiverse.lock.jpa.claim;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.jpa.table.PlacesInLine;
import io.quarkiverse.lock.spi.LockTime;

/**
 * The looks of all waiting claims of a JVM. A claim whose look is due takes along every claim that may look by then, and one
 * statement looks for all of them. So a JVM's load on the database does not grow with the number of names that it waits for. A
 * claim that waits alone looks by itself. So do all claims of a round that fails or gets no answer soon: one silent connection
 * must not silence all names.
 */
public final class JoinedLooks {

    /** Longer than a joint look takes on a busy machine: separate looks would only make it busier. */
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(700);

    private static final Logger LOG = Logger.getLogger(JoinedLooks.class);

    private final Workers workers;
    private final Steps steps;
    private final PlacesInLine places;
    private final LockTime time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Look> waiting = new LinkedHashSet<>();
    private boolean due;
    private @Nullable Round underWay;

    public JoinedLooks(Workers workers, Steps steps, PlacesInLine places, LockTime time) {
        this.workers = workers;
        this.steps = steps;
        this.places = places;
        this.time = time;
    }

    /** From now on, it may look along with others. */
    void add(Look look) {
        lock.lock();
        try {
            waiting.add(look);
        } finally {
            lock.unlock();
        }
    }

    /** Its claim takes a step itself, or is over. */
    void remove(Look look) {
        lock.lock();
        try {
            waiting.remove(look);
        } finally {
            lock.unlock();
        }
    }

    /** Its look is due now. False if it has to look by itself. */
    boolean due(Look look) {
        Round round;
        lock.lock();
        try {
            if (look.taken) {
                return true;
            }
            if (waiting.size() < 2 || !waiting.contains(look)) {
                return false;
            }
            due = true;
            round = next();
        } finally {
            lock.unlock();
        }
        start(round);
        return true;
    }

    /** Under the lock: the round to start, if a look is due and no round is under way. */
    private @Nullable Round next() {
        if (!due || underWay != null) {
            return null;
        }
        underWay = new Round();
        return underWay;
    }

    private void start(@Nullable Round round) {
        if (round == null) {
            return;
        }
        boolean started;
        try {
            started = workers.run(round);
        } catch (RuntimeException | Error e) { // there may be no thread available, which each claim then reports
            started = false;
        }
        if (!started) {
            round.gather();
            round.eachAlone();
        }
    }

    /** One statement, for all claims that may look by the time it is sent. */
    private final class Round implements Runnable {

        private final List<Look> looks = new ArrayList<>();
        private final List<Look> kept = new ArrayList<>();
        /** Each of these takes a step itself. */
        private final List<Look> alone = new ArrayList<>();
        private long sentAt;

        /** Whatever happens, every claim that was taken along gets its look. */
        @Override
        public void run() {
            try {
                gather();
                if (looks.size() > 1) {
                    together();
                }
            } catch (SQLException | RuntimeException | Error e) { // a class or memory may be missing
                eachAlone(); // and reports what is wrong, if it still is
            } finally {
                over();
            }
            if (looks.size() == 1) {
                looks.forEach(each -> each.pending.stepInstead(each));
            }
        }

        private void together() throws SQLException {
            LockTime.Timer patience = time.schedule(PATIENCE, this::eachAlone);
            try {
                keepPlaces();
                answered(steps.call(steps.deadline(), connection -> places.look(connection, wanted(looks))));
            } finally {
                patience.cancel();
            }
        }

        /** Each batch is one transaction, to bound it: while it waits for one row, it has the rows of other names locked. */
        private void keepPlaces() throws SQLException {
            List<PlacesInLine.Wanted> all = wanted(kept);
            for (int i = 0; i < all.size(); i += PlacesInLine.KEEPS) {
                List<PlacesInLine.Wanted> some = all.subList(i, Math.min(i + PlacesInLine.KEEPS, all.size()));
                steps.<Boolean> transaction(System.nanoTime() + 2 * PATIENCE, connection -> {
                    places.keep(connection, some);
                    return true;
                });
            }
        }

        private void gather() {
            sentAt = System.nanoTime();
            lock.lock();
            try {
                due = false;
                for (Iterator<Look> all = waiting.iterator(); all.hasNext();) {
                    Look each = all.next();
                    if (each.from - sentAt <= 0) {
                        (each.aloneThen && each.keepAt - sentAt <= 0 ? alone : looks).add(each);
                        each.taken = true;
                        all.remove();
                    }
                }
            } finally {
                lock.unlock();
            }
            askEach(alone);
            // In the same order everywhere, so that two statements over the same rows cannot wait for each other
            looks.sort(Comparator.comparing(each -> each.wanted.id()));
            if (looks.stream().anyMatch(each -> each.keepAt - sentAt <= 0)) {
                // Includes those for which it is still early: otherwise they would soon be due
                looks.stream().filter(each -> each.keepFrom - sentAt <= 0).forEach(kept::add);
            }
        }

        private static List<PlacesInLine.Wanted> wanted(List<Look> looks) {
            return looks.stream().map(each -> each.wanted).toList();
        }

        private void answered(Map<String, PlacesInLine.Seen> seen) {
            Set<Look> alive = Set.copyOf(kept);
            for (Look each : looks) {
                each.pending.looked(each, seen.get(each.wanted.claim().token()), alive.contains(each));
            }
        }

        private void eachAlone() {
            over();
            askEach(alone);
            askEach(looks);
        }

        /** Asks each of them, whatever another one throws when it learns that there is no thread to run it. */
        private static void askEach(List<Look> those) {
            for (Look each : those) {
                try {
                    each.pending.askInstead(each);
                } catch (RuntimeException | Error e) {
                    LOG.warn("The caller of a lock failed when it was notified that the lock is not available", e);
                }
            }
        }

        private void over() {
            Round next;
            lock.lock();
            try {
                if (underWay == this) {
                    underWay = null;
                }
                next = next();
            } finally {
                lock.unlock();
            }
            start(next);
        }
    }
}
