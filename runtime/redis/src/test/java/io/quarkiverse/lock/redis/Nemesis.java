package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/**
 * Does to the users of a Redis what happens in production, one thing after the other, in an order that follows from the seed:
 * each deed as often as its weight in every round. Harmful ones are told to the history, which excuses what they delay; they
 * come in storms, with calm between in which nothing is excused.
 */
final class Nemesis implements Runnable {

    private static final long MILLI = 1_000_000;
    private static final long STORM = TimeUnit.SECONDS.toNanos(11);
    private static final long CALM = TimeUnit.SECONDS.toNanos(11);

    /** The JVM that can be paused and killed. */
    interface Child {
        void pause();

        void resume();

        /** Kills it and starts another one. */
        void replace();
    }

    /** What it does its deeds to; the last link is the child's. */
    record Victims(RedisServer server, List<ProxiedLink> links, Child child, Lingering lingering, LockManager operator) {
    }

    /** Lets the holders in a JVM take their time, so that it shows when they believe in a lock for too long. */
    interface Lingering {
        void linger(ProxiedLink link, boolean on);
    }

    private final boolean harmful;
    private final Random random;
    private final Victims victims;
    private final Consumer<HistoryEvent> history;
    private final Consumer<String> log;
    private final long started = System.nanoTime();
    private volatile long harmingSince;
    private volatile boolean stopped;

    Nemesis(boolean harmful, long seed, Victims victims, Consumer<HistoryEvent> history, Consumer<String> log) {
        this.harmful = harmful;
        this.random = new Random(seed);
        this.victims = victims;
        this.history = history;
        this.log = log;
    }

    void stop() {
        stopped = true;
    }

    /** Since when it has been doing harm, 0 if it does not; for whoever looks at the history before that is over. */
    long harmingSince() {
        return harmingSince;
    }

    @Override
    public void run() {
        while (!stopped) {
            for (Deed deed : round()) {
                ProxiedLink link = victim(deed);
                long length = (200 + random.nextInt(1800)) * MILLI;
                String name = RandomRunTest.NAMES.get(random.nextInt(RandomRunTest.NAMES.size()));
                long rest = random.nextInt(harmful ? 400 : 1000) * MILLI;
                if (!stopped) {
                    log.accept(deed + " to " + link + ", " + length / MILLI + " ms, " + name);
                    carryOut(deed, link, length, name);
                }
                pause(rest + (harmful ? calm() : 0));
            }
        }
    }

    private ProxiedLink victim(Deed deed) {
        int any = random.nextInt(victims.links.size());
        return switch (deed) {
            case PAUSE_CHILD, KILL_CHILD -> victims.links.get(victims.links.size() - 1);
            case OLD_REPLIES -> victims.links.stream().filter(ProxiedLink::patient).findFirst().orElseThrow();
            default -> victims.links.get(any);
        };
    }

    private List<Deed> round() {
        var round = new ArrayList<Deed>();
        for (Deed deed : Deed.values()) {
            if (deed.harmful == harmful) {
                round.addAll(Collections.nCopies(deed.times, deed));
            }
        }
        Collections.shuffle(round, random);
        return round;
    }

    /** What is left of the calm after a storm. */
    private long calm() {
        long at = (System.nanoTime() - started) % (STORM + CALM);
        return at < STORM ? 0 : STORM + CALM - at;
    }

    private void carryOut(Deed deed, ProxiedLink link, long length, String name) {
        link.lock.lock();
        long from = System.nanoTime();
        harmingSince = harmful ? from : 0;
        try {
            begin(deed, link, length, name);
        } finally {
            link.proxy().pass();
            victims.lingering.linger(link, false);
            if (harmful) {
                history.accept(HistoryEvent.fault(from, System.nanoTime()));
            }
            harmingSince = 0;
            link.lock.unlock();
        }
    }

    /** It ends when the proxy passes. */
    private void begin(Deed deed, ProxiedLink link, long length, String name) {
        switch (deed) {
            case SILENCE -> {
                link.proxy().blackhole();
                pause(length);
            }
            case DROP_REPLIES -> {
                link.proxy().dropReplies();
                pause(length);
            }
            case DROP_ONE_REPLY -> {
                link.proxy().dropReplyTo(name);
                pause(length / 4);
            }
            case CUT -> link.proxy().cut();
            case SLOW -> {
                link.proxy().delayRequests(Duration.ofNanos(length / 4));
                link.proxy().delayReplies(Duration.ofNanos(length / 10));
                pause(length);
            }
            case OLD_REPLIES -> {
                link.proxy().delayReplies(Duration.ofNanos(1200 * MILLI + length / 2));
                pause(4000 * MILLI);
            }
            case STALE_MESSAGES -> staleMessages(link, length);
            case KILL_CLIENTS -> command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            case PAUSE_SERVER -> {
                victims.server.pause();
                pause(length / 2);
                victims.server.resume();
            }
            case PAUSE_CHILD -> {
                // Under way when it stops, and old when it goes on
                link.proxy().delayReplies(Duration.ofMillis(300));
                pause(250 * MILLI);
                victims.child.pause();
                pause(2 * length);
                victims.child.resume();
            }
            case KILL_CHILD -> victims.child.replace();
            case DROP_MESSAGES -> toAll(ProxiedLink::dropMessages, 2500 * MILLI + length);
            case DELAY_MESSAGES -> {
                link.holdMessages();
                pause(length);
            }
            case LATE_REQUESTS -> {
                // Harm is done until the client has given the connection up, and none by what comes later
                long from = System.nanoTime();
                history.accept(HistoryEvent.fault(from, from + 1000 * MILLI));
                toAll(ProxiedLink::holdRequests, 2500 * MILLI + length);
            }
            case KILL_SUBSCRIBERS -> command("CLIENT", "KILL", "TYPE", "pubsub");
            case FLUSH_SCRIPTS -> command("SCRIPT", "FLUSH");
            case FORCE -> force(name);
        }
    }

    private void staleMessages(ProxiedLink first, long length) {
        List<ProxiedLink> others = victims.links.stream().filter(each -> each != first && each.lock.tryLock()).toList();
        try {
            List<ProxiedLink> silent = new ArrayList<>(others.subList(0, Math.min(1, others.size())));
            silent.add(first);
            silent.forEach(each -> each.proxy().blackhole());
            pause(3000 * MILLI + length / 4);
            silent.forEach(each -> victims.lingering.linger(each, true));
            first.onlyMessages();
            silent.get(0).commandsBeforeMessages(this::pause, 300 * MILLI + length / 8);
            pause(2000 * MILLI);
        } finally {
            for (ProxiedLink each : others) {
                victims.lingering.linger(each, false);
                each.proxy().pass();
                each.lock.unlock();
            }
        }
    }

    /** To all JVMs that nothing else is done to. */
    private void toAll(Consumer<ProxiedLink> deed, long length) {
        List<ProxiedLink> links = victims.links.stream().filter(each -> each.lock.tryLock()).toList();
        try {
            links.forEach(deed);
            pause(length);
        } finally {
            for (ProxiedLink each : links) {
                each.proxy().pass();
                each.lock.unlock();
            }
        }
    }

    /** Over a connection of its own: those that there are may be killed at any time. */
    private void command(String... words) {
        try (TinyRedis redis = victims.server.connect()) {
            redis.command(words);
        }
    }

    private void force(String name) {
        long from = System.nanoTime();
        try {
            victims.operator.forceRelease(name);
        } catch (LockBackendException e) {
            log.accept("Not forced: " + e.getMessage());
        }
        history.accept(HistoryEvent.forced(name, from, System.nanoTime()));
    }

    /** Cut short at the end of the run. */
    private void pause(long nanos) {
        long until = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !stopped; left = until - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, 50 * MILLI));
        }
    }
}
