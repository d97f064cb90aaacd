package io.quarkiverse.lock.engine.deadlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.deadlock.WaitGraph.Caller;
import io.quarkiverse.lock.engine.deadlock.WaitGraph.Circle;
import io.quarkiverse.lock.engine.state.NameQueue;
import io.quarkiverse.lock.spi.Claim;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.spi.WaitNotes;
import io.quarkiverse.lock.text.PrintableName;
import io.smallrye.mutiny.Uni;

/**
 * Finds callers of several JVMs that wait for each other at the store of one engine.
 * <p>
 * A caller that has waited for long while holding something puts a note about it beside its waiting claim. From time to time it
 * reads the notes of those that wait for what it holds, of those that wait for what these hold, and so on. So each caller in a
 * circle sees the whole circle, from the same notes, and comes to the same conclusion about who makes way. Only that one acts,
 * and only on itself.
 * <p>
 * Notes read one after the other may never have existed at the same time, and a note may outlive its caller. So a caller that
 * sees itself in a circle increments a count in its note. It makes way only once it has seen the same circle twice and the
 * counts of all others in it have grown in between. So they still waited after the first look was over. Each wait and each hold
 * ends only once, so the whole circle existed at that moment.
 */
public final class FarWaits {

    private static final Logger LOG = Logger.getLogger(FarWaits.class);

    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long SELDOM_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Rewrites a note before it is due. */
    private static final long REWRITE_NANOS = WaitNotes.REWRITTEN_WITHIN.toNanos() * 9 / 10;
    private static final int LOOKS_SOON = 10;
    private static final int LOOKS_LATER = 50;

    /** The most callers in a circle, and the most lines read in one look. */
    static final int DEPTH = 8;
    private static final int MOST_LINES = 64;
    /** Per second, for all callers together. */
    private static final int MOST_LOOKS = 100;

    private final Waiters waiters;
    private final WaitNotes store;
    private final LockTime time;
    private final Supplier<Collection<NameQueue>> names;
    private final AtomicInteger counted = new AtomicInteger();
    private volatile long countedSince;

    /** @param names all queues of the same engine in this JVM */
    public FarWaits(LongWaits waits, WaitNotes store, LockTime time, Supplier<Collection<NameQueue>> names) {
        this.waiters = waits.waiters();
        this.store = store;
        this.time = time;
        this.names = names;
        this.countedSince = time.nanoTime();
    }

    /** Whether a caller that has seen no circle yet may look now: thousands may wait for one name. */
    private boolean mayLook() {
        long now = time.nanoTime();
        if (now - countedSince >= SELDOM_NANOS) {
            countedSince = now;
            counted.set(0);
        }
        return counted.incrementAndGet() <= MOST_LOOKS;
    }

    /** The first look must follow. */
    Follower follow(LongWaits.Waiter waiter) {
        waiter.handles(Waiters.handlesOf(waiter, names.get()));
        return new Follower(waiter);
    }

    /** One caller's looks, one after the other, on timers and wherever the store answers. */
    final class Follower {

        private final LongWaits.Waiter waiter;
        private volatile LockTime.@Nullable Timer next;
        private volatile boolean over;
        /** How often it has found itself in a circle; part of its note. */
        private volatile long seen;
        private int looks;
        private String noted = "";
        private long notedAt;
        /** From the first look that showed the circle: its callers, and how often they had seen it. */
        private Map<String, Long> sighted = Map.of();
        private boolean toldOf;

        private Follower(LongWaits.Waiter waiter) {
            this.waiter = waiter;
        }

        long seen() {
            return seen;
        }

        void over() {
            over = true;
            LockTime.Timer timer = next;
            if (timer != null) {
                timer.cancel();
            }
        }

        private void lookIn(long nanos) {
            if (!over) {
                next = time.schedule(nanos, this::look);
                if (over) {
                    next.cancel();
                }
            }
        }

        /** Call it once; it then repeats itself when due. */
        void look() {
            if (over) {
                return;
            }
            try {
                Claim claim = Waiters.claimOf(waiter);
                if (claim != null && sighted.isEmpty() && !mayLook()) {
                    lookIn(SOON_NANOS);
                    return;
                }
                looks++;
                List<WaitNote.Owned> owned = claim == null ? List.of() : waiters.ownedBy(waiter);
                if (claim == null || owned.isEmpty()) {
                    lookAgain(); // so far nobody waits for it, or it waits for no other JVM
                    return;
                }
                write(claim).chain(written -> written ? walk(claim, owned) : Uni.createFrom().<Circle> nullItem())
                        .subscribe().with(circle -> found(claim, circle), failure -> {
                            LOG.debugf(failure, "A wait for lock '%s' was not checked for deadlocks",
                                    PrintableName.of(waiter.hold.name()));
                            lookAgain();
                        });
            } catch (RuntimeException e) {
                LOG.debug("A wait was not checked for deadlocks", e);
                lookAgain();
            }
        }

        private void lookAgain() {
            lookIn(looks < LOOKS_SOON ? SOON_NANOS : looks < LOOKS_LATER ? LATER_NANOS : SELDOM_NANOS);
        }

        /** Writes the claim's note, with all callers of this JVM that wait with it. */
        private Uni<Boolean> write(Claim claim) {
            String text = WaitNote.of(waiters.with(claim, waiter)).text();
            String whole = claim.token() + text;
            long now = time.nanoTime();
            if (whole.equals(noted) && now - notedAt < REWRITE_NANOS) {
                return Uni.createFrom().item(true);
            }
            notedAt = now;
            return store.note(claim, text).invoke(written -> noted = written ? whole : "");
        }

        // --- the walk, from what it holds to those that wait for it, and on

        private Uni<@Nullable Circle> walk(Claim claim, List<WaitNote.Owned> owned) {
            Map<String, WaitNotes.Line> lines = new HashMap<>();
            return step(claim, names(owned), lines, 1).chain(() -> {
                boolean anybody = lines.values().stream().anyMatch(line -> !line.waiters().isEmpty());
                return anybody ? read(Set.of(claim.name()), lines).map(ignored -> circle(claim, lines))
                        : Uni.createFrom().<Circle> nullItem();
            });
        }

        private Uni<Void> step(Claim claim, Set<String> toRead, Map<String, WaitNotes.Line> lines, int depth) {
            Set<String> unread = new LinkedHashSet<>(toRead);
            unread.removeAll(lines.keySet());
            if (unread.isEmpty() || depth > DEPTH) {
                return Uni.createFrom().voidItem();
            }
            Set<String> now = unread.stream().limit(MOST_LINES - lines.size())
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            return read(now, lines).chain(() -> {
                Set<String> further = new LinkedHashSet<>();
                for (String name : now) {
                    for (Caller caller : callers(name, lines.get(name))) {
                        further.addAll(names(caller.waits().owned()));
                    }
                }
                return step(claim, further, lines, depth + 1);
            });
        }

        private Uni<Void> read(Set<String> names, Map<String, WaitNotes.Line> lines) {
            Uni<Void> all = Uni.createFrom().voidItem();
            for (String name : names) {
                if (!lines.containsKey(name)) {
                    all = all.chain(() -> store.line(name)).invoke(line -> lines.put(name, line)).replaceWithVoid();
                }
            }
            return all;
        }

        private @Nullable Circle circle(Claim claim, Map<String, WaitNotes.Line> lines) {
            List<Caller> callers = new ArrayList<>();
            lines.forEach((name, line) -> callers.addAll(callers(name, line)));
            String id = id(claim);
            Caller own = callers.stream().filter(each -> each.id().equals(id)).findFirst().orElse(null);
            if (own == null) {
                noted = ""; // the note has no room for all that wait with this claim, and another one has written it
                return null;
            }
            return new WaitGraph(callers, lines).around(own);
        }

        private String id(Claim claim) {
            return claim.token() + '#' + waiter.number;
        }

        // --- what is done about it

        private void found(Claim claim, @Nullable Circle circle) {
            if (over) {
                return;
            }
            if (circle == null) {
                sighted = Map.of();
                lookAgain();
                return;
            }
            seen++;
            Map<String, Long> now = new HashMap<>();
            circle.callers().forEach(each -> now.put(each.id(), each.waits().seen()));
            String id = id(claim);
            if (!now.keySet().equals(sighted.keySet())) {
                sighted = now;
            } else if (now.entrySet().stream()
                    .allMatch(each -> each.getKey().equals(id) || each.getValue() > sighted.get(each.getKey()))) {
                if (circle.leaving().id().equals(id)) {
                    decide(circle);
                }
                sighted = now;
            }
            write(claim).subscribe().with(ignored -> lookIn(looks < LOOKS_LATER ? SOON_NANOS : SELDOM_NANOS),
                    failure -> lookAgain());
        }

        private void decide(Circle circle) {
            if (circle.sure()) {
                if (waiter.leave(CircleText.refusal(waiter.hold.name(), "callers in several JVMs", circle.description()))) {
                    LOG.warnf("Deadlock: callers in several JVMs waited for each other, and the call of %s failed: %s",
                            waiter.who, circle.description());
                }
            } else if (!toldOf) {
                toldOf = true;
                LOG.warnf("Callers in several JVMs seem to wait for each other: %s. That ends when the wait of one of them "
                        + "does, unless somebody releases a handle first. Take the locks in the same order everywhere, or all "
                        + "at once (LockManager.all)", circle.description());
            }
        }
    }

    private static Set<String> names(List<WaitNote.Owned> owned) {
        Set<String> names = new LinkedHashSet<>();
        owned.forEach(each -> names.add(each.name()));
        return names;
    }

    private static List<Caller> callers(String name, WaitNotes.Line line) {
        List<Caller> callers = new ArrayList<>();
        for (WaitNotes.Waiter waiter : line.waiters()) {
            for (WaitNote.Caller each : WaitNote.parse(waiter.note()).callers()) {
                callers.add(new Caller(name, waiter.token(), waiter.since(), waiter.owner(), each));
            }
        }
        return callers;
    }
}
