package io.quarkiverse.lock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import io.quarkiverse.lock.LockBackendException;
import io.quarkiverse.lock.LockManager;
import io.quarkiverse.lock.testkit.history.HistoryEvent;
import io.quarkiverse.lock.testkit.random.Nemesis;
import io.quarkiverse.lock.testkit.random.RandomChildren;
import io.quarkiverse.lock.testkit.server.RedisServer;
import io.quarkiverse.lock.testkit.server.TinyRedis;

/** Does to the users of a Redis what happens in production. */
final class RedisNemesis extends Nemesis<Deed> {

    /** The targets of its deeds; the last link is the child's. */
    record Victims(RedisServer server, List<ProxiedConnection> links, RandomChildren child, Lingering lingering,
            LockManager operator) {
    }

    /** Lets the holders in a JVM take their time, which exposes those that believe in a lock for too long. */
    interface Lingering {
        void linger(ProxiedConnection link, boolean on);
    }

    private final Victims victims;

    RedisNemesis(boolean harmful, long seed, Victims victims, Consumer<HistoryEvent> history, Consumer<String> log) {
        super(round(harmful), harmful, seed, history, log);
        this.victims = victims;
    }

    private static List<Deed> round(boolean harmful) {
        return Arrays.stream(Deed.values()).filter(deed -> deed.harmful == harmful)
                .flatMap(deed -> Collections.nCopies(deed.times, deed).stream()).toList();
    }

    @Override
    protected Step step(Deed deed, Random random) {
        ProxiedConnection link = victim(deed, random);
        long length = (200 + random.nextInt(1800)) * MILLI;
        String name = RandomRunTest.NAMES.get(random.nextInt(RandomRunTest.NAMES.size()));
        return new Step(deed + " to " + link + ", " + length / MILLI + " ms, " + name, link.lock,
                () -> begin(deed, link, length, name), () -> {
                    link.proxy().pass();
                    victims.lingering.linger(link, false);
                });
    }

    private ProxiedConnection victim(Deed deed, Random random) {
        int any = random.nextInt(victims.links.size());
        return switch (deed) {
            case PAUSE_CHILD, KILL_CHILD -> victims.links.get(victims.links.size() - 1);
            case OLD_REPLIES -> victims.links.stream().filter(ProxiedConnection::patient).findFirst().orElseThrow();
            default -> victims.links.get(any);
        };
    }

    /** It ends when the proxy passes. */
    private void begin(Deed deed, ProxiedConnection link, long length, String name) {
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
                // Under way when the child stops, and old when it resumes
                link.proxy().delayReplies(Duration.ofMillis(300));
                pause(250 * MILLI);
                victims.child.pause();
                pause(2 * length);
                victims.child.resume();
            }
            case KILL_CHILD -> victims.child.replace();
            case DROP_MESSAGES -> toAll(ProxiedConnection::dropMessages, 2500 * MILLI + length);
            case DELAY_MESSAGES -> {
                link.holdMessages();
                pause(length);
            }
            case LATE_REQUESTS -> {
                // It does harm until the client has given up the connection; what arrives later does none
                long from = System.nanoTime();
                tell(HistoryEvent.fault(from, from + 1000 * MILLI));
                toAll(ProxiedConnection::holdRequests, 2500 * MILLI + length);
            }
            case KILL_SUBSCRIBERS -> command("CLIENT", "KILL", "TYPE", "pubsub");
            case FLUSH_SCRIPTS -> command("SCRIPT", "FLUSH");
            case FORCE -> force(name);
        }
    }

    private void staleMessages(ProxiedConnection first, long length) {
        List<ProxiedConnection> others = victims.links.stream().filter(each -> each != first && each.lock.tryLock()).toList();
        try {
            List<ProxiedConnection> silent = new ArrayList<>(others.subList(0, Math.min(1, others.size())));
            silent.add(first);
            silent.forEach(each -> each.proxy().blackhole());
            pause(3000 * MILLI + length / 4);
            silent.forEach(each -> victims.lingering.linger(each, true));
            first.onlyMessages();
            silent.get(0).commandsBeforeMessages(this::pause, 300 * MILLI + length / 8);
            pause(2000 * MILLI);
        } finally {
            for (ProxiedConnection each : others) {
                victims.lingering.linger(each, false);
                each.proxy().pass();
                each.lock.unlock();
            }
        }
    }

    /** Does this to all JVMs that nothing else is done to. */
    private void toAll(Consumer<ProxiedConnection> deed, long length) {
        List<ProxiedConnection> links = victims.links.stream().filter(each -> each.lock.tryLock()).toList();
        try {
            links.forEach(deed);
            pause(length);
        } finally {
            for (ProxiedConnection each : links) {
                each.proxy().pass();
                each.lock.unlock();
            }
        }
    }

    /**
     * Over a separate connection: the existing ones may be killed at any time. One nemesis at a time, or it kills the other's;
     * not with the server's own monitor, which the other one needs to resume it.
     */
    private void command(String... words) {
        synchronized (victims) {
            try (TinyRedis redis = victims.server.connect()) {
                redis.command(words);
            }
        }
    }

    private void force(String name) {
        long from = System.nanoTime();
        try {
            victims.operator.forceRelease(name);
        } catch (LockBackendException e) {
            log("Not forced: " + e.getMessage());
        }
        tell(HistoryEvent.forced(name, from, System.nanoTime()));
    }
}
