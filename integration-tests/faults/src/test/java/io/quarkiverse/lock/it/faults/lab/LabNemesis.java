package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.random.Nemesis;
import io.quarkiverse.lock.testkit.random.RandomLoad;

/** Does the deeds of a {@link Stand} to the JVMs of the laboratory. */
final class LabNemesis extends Nemesis<LabDeed> {

    static final long MILLISECOND = MILLI;
    /** Whether nothing is done to the store itself: the baseline for a run with all deeds. */
    static final boolean UNDISTURBED = Boolean.getBoolean("lock.lab.undisturbed");

    /** Parts of the names of deeds: only matching deeds are done. */
    private static final String DEEDS = System.getProperty("lock.lab.deeds", "");
    static final boolean SOME_DEEDS = !DEEDS.isEmpty();

    /**
     * A finished deed.
     *
     * @param process the affected JVM, if there is one
     */
    record Done(String name, long from, long to, boolean harmful, String process) {

        /** Whether that JVM meanwhile kept its locks from others, or could not ask for one. */
        boolean troubles() {
            return harmful || name.equals(CommonDeeds.HELD_FOR_LONG);
        }
    }

    /** Locks that somebody has been taking by force since {@code from}. */
    private record Forcing(List<String> locks, long from) {
    }

    private final List<LabNode> nodes;
    private final LockManager operator;
    private final Duration longestLease;
    private final List<Done> done = new CopyOnWriteArrayList<>();
    private final List<Forcing> forcing = new CopyOnWriteArrayList<>();

    LabNemesis(boolean harmful, long seed, Stand stand, List<LabNode> nodes, LockManager operator,
            Consumer<HistoryEvent> history, Consumer<String> log) {
        super(round(harmful, stand), harmful, seed, history, log);
        this.nodes = nodes;
        this.operator = operator;
        RandomLoad load = stand.load();
        longestLease = load.longestLease().compareTo(load.keptFor()) > 0 ? load.longestLease() : load.keptFor();
    }

    private static List<LabDeed> round(boolean harmful, Stand stand) {
        var round = new ArrayList<LabDeed>();
        for (LabDeed deed : chosen(stand)) {
            if (deed.harmful() == harmful) {
                round.addAll(Collections.nCopies(deed.times(), deed));
            }
        }
        return round;
    }

    private static List<LabDeed> chosen(Stand stand) {
        var deeds = new ArrayList<>(stand.commonDeeds());
        if (!UNDISTURBED) {
            deeds.addAll(stand.deeds());
        }
        List<LabDeed> chosen = deeds.stream()
                .filter(deed -> Arrays.stream(DEEDS.split(",")).anyMatch(deed.name()::contains)).toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("lock.lab.deeds=" + DEEDS + " is part of none of "
                    + deeds.stream().map(LabDeed::name).toList());
        }
        return chosen;
    }

    List<Done> allDone() {
        return done;
    }

    @Override
    protected Step step(LabDeed deed, Random random) {
        LabNode node = nodes.get(random.nextInt(nodes.size()));
        long length = (200 + random.nextInt(1300)) * MILLI;
        String lock = Stand.NAMES.get(random.nextInt(Stand.NAMES.size()));
        return new Step(deed.name() + " to " + node + ", " + length / MILLI + " ms, " + lock, node.lock(),
                () -> act(deed.act(), node, length, lock), () -> act(deed.heal(), node, length, lock));
    }

    private void act(LabDeed.Act act, LabNode node, long length, String lock) {
        try {
            act.on(this, node, length, lock);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected void done(LabDeed deed, long from, long to) {
        LabNode victim = nodes.stream().filter(each -> each.lock().isHeldByCurrentThread()).findFirst().orElseThrow();
        done.add(new Done(deed.name(), from, to, deed.harmful(), victim.jvm().process()));
        // Once the fault is over for the others: nobody waits for the JVM that starts
        victim.jvm().startAgain();
    }

    /** Waits until the deed has lasted long enough. */
    void last(long nanos) {
        pause(nanos);
    }

    /** No lock is kept longer than this without renewal. */
    Duration longestLease() {
        return longestLease;
    }

    void say(String what) {
        log(what);
    }

    List<LabNode> nodes() {
        return nodes;
    }

    /** Takes a lock from its holder by force. */
    void force(String lock) {
        var begun = begin(List.of(lock));
        try {
            operator.forceRelease(lock);
            tell(HistoryEvent.taken(lock, begun.from, System.nanoTime()));
        } catch (LockBackendException e) {
            log("Not forced: " + e.getMessage());
            tell(HistoryEvent.forced(lock, begun.from, System.nanoTime()));
        } finally {
            forcing.remove(begun);
        }
    }

    /** Runs a deed that may take any lock from its holder. */
    void forceAny(Runnable deed) {
        var begun = begin(Stand.NAMES);
        try {
            deed.run();
        } finally {
            tellForced(begun, this::tell);
            forcing.remove(begun);
        }
    }

    private Forcing begin(List<String> locks) {
        var begun = new Forcing(locks, System.nanoTime());
        forcing.add(begun);
        return begun;
    }

    /** Reports forced releases in progress: their effects can be visible before they are over and in the history. */
    void tellForcing(Consumer<HistoryEvent> to) {
        forcing.forEach(each -> tellForced(each, to));
    }

    private static void tellForced(Forcing begun, Consumer<HistoryEvent> to) {
        long now = System.nanoTime();
        begun.locks.forEach(lock -> to.accept(HistoryEvent.forced(lock, begun.from, now)));
    }

    /** Runs a deed that takes all locks from their holders, unless it fails. */
    void takeAll(Runnable deed) {
        long from = System.nanoTime();
        forceAny(deed);
        for (String lock : Stand.NAMES) {
            tell(HistoryEvent.taken(lock, from, System.nanoTime()));
        }
    }
}
