package io.quarkiverse.lock.it.faults.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.Await;
import io.quarkiverse.lock.testkit.FirstContact;
import io.quarkiverse.lock.testkit.history.History;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.history.HistorySummary;
import io.quarkiverse.lock.testkit.history.Stalls;
import io.quarkiverse.lock.testkit.history.Violation;
import io.quarkiverse.lock.testkit.process.ChildFailure;
import io.quarkiverse.lock.testkit.random.FencedRegister;
import io.quarkiverse.lock.testkit.random.RandomChildren;

/**
 * One sitting: JVMs that take the locks of a store, each over its own link, and count in a register; a nemesis that follows
 * from the seed; and checks of the whole history, also while it grows.
 */
final class Laboratory implements AutoCloseable {

    static final int JVMS = Integer.getInteger("lock.lab.jvms", 4);
    /** Where to write the history, even if nothing is wrong with it. */
    private static final String HISTORIES = System.getProperty("lock.lab.histories");
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration END = Duration.ofSeconds(90);
    private static final Duration COMPANY = Duration.ofMillis(500);
    /** By then nothing is held any more: unreleased leases, and those of the dead, have ended. */
    private static final Duration FREE = Duration.ofSeconds(20);
    /** More recent events may not have been reported yet. */
    private static final long LATELY = 500_000_000;

    private final Stand stand;
    private final long seed;
    private final Mutant mutant;
    private final Path directory;
    private final long started = System.nanoTime();
    private final History history = new History();
    private final Stalls stalls = new Stalls(history::add);
    private final FencedRegister register = new FencedRegister(history::add);
    private final LockEngine engine;
    private final List<LabNode> nodes = new ArrayList<>();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final CountDownLatch broken = new CountDownLatch(1);
    private final LabNemesis harmful;
    private final LabNemesis harmless;
    /** The JVMs that died while nothing else disturbed anybody. */
    private final Set<String> killed = new LinkedHashSet<>();
    private List<Violation> violations = List.of();
    /** Since when nothing has been done any more. */
    private long calmSince;

    Laboratory(Stand stand, long seed, Mutant mutant, Path directory) {
        this.stand = stand;
        this.seed = seed;
        this.mutant = mutant;
        this.directory = directory;
        directory.toFile().mkdirs();
        engine = LockEngine.builder(stand.operator()).start();
        LockManager operator = engine.manager(ManagerDefaults.STANDARD);
        FirstContact.await(operator, END);
        harmful = new LabNemesis(true, seed, stand, nodes, operator, history::add, this::log);
        harmless = new LabNemesis(false, ~seed, stand, nodes, operator, history::add, this::log);
    }

    /** Lets them work; ends early when something is found, or when it cannot continue. */
    Sitting run(long seconds) throws Exception {
        for (int i = 0; i < JVMS; i++) {
            StoreLink link = stand.link();
            nodes.add(new LabNode(link, new RandomChildren("jvm-" + i, mutant.in(stand.backend(link)), stand.load(),
                    seed * 31 + i, register.port(), directory, history), new ReentrantLock()));
        }
        // Until now, and for a moment longer, everything is slow because it happens for the first time
        history.add(HistoryEvent.fault(started, System.nanoTime() + 1_500_000_000));
        long begin = System.nanoTime();
        List<Thread> threads = List.of(begin(harmful), begin(harmless));
        while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(seconds) && violations.isEmpty()
                && !broken.await(LOOK.toNanos(), TimeUnit.NANOSECONDS)) {
            look();
        }
        calmSince = System.nanoTime();
        harmful.stop();
        harmless.stop();
        for (Thread each : threads) {
            each.join();
        }
        if (violations.isEmpty() && failures.isEmpty()) {
            leaveLocksBehind();
        }
        List<String> problems = new ArrayList<>();
        failures.forEach(each -> problems.add("the nemesis failed: " + each));
        if (violations.isEmpty() && problems.isEmpty()) {
            end(problems);
            look();
        }
        return sitting(seconds(begin), problems);
    }

    private Thread begin(LabNemesis nemesis) {
        var thread = new Thread(nemesis, "nemesis");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((ended, e) -> {
            e.printStackTrace();
            failures.add(e);
            broken.countDown();
        });
        thread.start();
        return thread;
    }

    /** One JVM after the other dies while holding locks, while nothing else disturbs the waiters. */
    private void leaveLocksBehind() throws InterruptedException {
        Duration lease = harmful.longestLease();
        for (LabNode each : nodes.subList(nodes.size() / 2, nodes.size())) {
            CommonDeeds.linger(each, lease.plusSeconds(2));
            Await.until(each + " holds something", END, () -> each.jvm().current().ask("leftovers").contains("holds"));
            // Nothing reports when others have requested it as well, and only then does its end keep somebody waiting
            TimeUnit.NANOSECONDS.sleep(COMPANY.toNanos());
            log("The end of " + each);
            killed.add(each.jvm().process());
            each.jvm().kill();
            long now = System.nanoTime();
            history.add(HistoryEvent.fault(now, now)); // places in queues are left behind as well
            // Its leases expire, which is what is measured, and nothing may disturb that
            TimeUnit.NANOSECONDS.sleep(lease.plusSeconds(1).toNanos());
            each.jvm().startAgain();
        }
    }

    /** Everybody comes to an end, reports no problems, and leaves nothing behind. */
    private void end(List<String> problems) {
        for (LabNode each : nodes) {
            try {
                each.jvm().current().ask("stop", END);
                add(problems, each.jvm().current().ask("surprises"));
                Await.until(() -> "nothing is left in " + each + ", but "
                        + each.jvm().current().ask("leftovers"), FREE,
                        () -> each.jvm().current().ask("leftovers").isBlank());
            } catch (ChildFailure | AssertionError e) {
                problems.add(each + ": " + e.getMessage());
            }
        }
        try {
            LockManager operator = engine.manager(ManagerDefaults.STANDARD);
            Await.until(() -> "all locks are free, but " + Stand.NAMES.stream().map(operator::inspect).toList(), FREE,
                    () -> Stand.NAMES.stream().allMatch(name -> operator.inspect(name).isEmpty()));
        } catch (AssertionError e) {
            problems.add(e.getMessage());
        }
    }

    private static void add(List<String> problems, String surprises) {
        if (!surprises.isBlank()) {
            problems.add("no request may end so: " + surprises);
        }
    }

    private void look() {
        nodes.forEach(each -> each.jvm().readHistory());
        long now = System.nanoTime() - LATELY;
        var underWay = new ArrayList<HistoryEvent>(); // read before the history, which contains it once it is over
        nodes.forEach(each -> underWay.addAll(each.jvm().pausedNow()));
        stalls.now().ifPresent(underWay::add);
        harmful.tellForcing(underWay::add);
        harmless.tellForcing(underWay::add);
        long since = harmful.harmingSince();
        List<HistoryEvent> events = history.events();
        events.addAll(underWay);
        if (since != 0) {
            events.add(HistoryEvent.fault(since, System.nanoTime()));
        }
        violations = stand.limits().check(events, now);
    }

    private Sitting sitting(double seconds, List<String> problems) {
        List<HistoryEvent> events = history.events();
        if (HISTORIES != null) {
            write(events, Path.of(HISTORIES, stand.name() + "-" + seed + ".history"));
        }
        var summary = new HistorySummary(events, System.nanoTime() - LATELY);
        var done = new ArrayList<>(harmful.allDone());
        done.addAll(harmless.allDone());
        LongWaits waits = stand.enough()
                .map(enough -> LongWaits.of(events, done, enough, harmful.longestLease(), calmSince)).orElse(LongWaits.NONE);
        waits.inVain().forEach(each -> problems.add("waited in vain: " + each));
        if (!violations.isEmpty() || !problems.isEmpty()) {
            Path file = Path.of("target", "lab-" + stand.name() + "-" + seed + ".history");
            write(events, file);
            problems.add("the whole history is in " + file);
        }
        return new Sitting(seed, seconds, summary, done, killed, violations, problems,
                new Sitting.Counted(register.accepted(), register.refused(), register.damage()), waits, List.copyOf(log));
    }

    private static void write(List<HistoryEvent> events, Path file) {
        file.toAbsolutePath().getParent().toFile().mkdirs();
        events.stream().sorted(Comparator.comparingLong(HistoryEvent::to)).forEach(History.writer(file));
    }

    private void log(String deed) {
        log.add(System.nanoTime() + " " + String.format("%.1f", seconds(started)) + " s: " + deed);
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    @Override
    public void close() {
        nodes.forEach(LabNode::close);
        engine.close();
        register.close();
        stalls.close();
    }
}
