package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/** The deeds that can be done to every JVM and its link, whatever the store. */
final class CommonDeeds {

    static final String KILL = "kill -9 of a JVM";
    private static final String FORCE = "force release";
    static final String HELD_FOR_LONG = FORCE + " of what is held for long";

    /** Longer than the shorter leases, but shorter than an operation may take if it is a single request. */
    private static final Duration LATE = Duration.ofMillis(1700);
    /** How long before a JVM stops nothing reaches it: some of that is a grant, which is old when the JVM continues. */
    private static final long UNDER_WAY = 250;

    private static final LabDeed.Act PASS = (site, node, length, lock) -> node.link().each(FaultProxy::pass);

    /** Deeds done to the JVMs. */
    static final List<LabDeed> OF_JVMS = List.of(
            pause("SIGSTOP of a JVM", 4, Duration.ZERO),
            LabDeed.harmful(KILL, 4, (site, node, length, lock) -> {
                // So that it dies while holding locks
                linger(node, Duration.ofSeconds(2));
                site.last(LabNemesis.MILLISECOND * 700);
                node.jvm().kill();
            }),
            LabDeed.harmful("SIGTERM of a JVM", 1, (site, node, length, lock) -> node.jvm().terminate()),
            LabDeed.harmless(FORCE, 8, (site, node, length, lock) -> site.force(lock)),
            LabDeed.harmless(HELD_FOR_LONG, 1, (site, node, length, lock) -> {
                // Longer than the lease, so that only its expiry reveals the loss
                linger(node, site.longestLease().plusSeconds(2));
                site.last(LabNemesis.MILLISECOND * 1000);
                Stand.NAMES.forEach(site::force);
            }).healedBy((site, node, length, lock) -> linger(node, Duration.ZERO)));

    /** Deeds done to their links. */
    private static List<LabDeed> ofLinks(Duration late) {
        return List.of(
                LabDeed.harmful("blackhole", 2, (site, node, length, lock) -> {
                    node.link().each(FaultProxy::blackhole);
                    site.last(2 * length);
                }).healedBy(PASS),
                LabDeed.harmful("delay", 1, (site, node, length, lock) -> {
                    node.link().each(proxy -> {
                        proxy.delayRequests(Duration.ofNanos(length / 4));
                        proxy.delayReplies(Duration.ofNanos(length / 8));
                    });
                    site.last(length);
                }).healedBy(PASS),
                LabDeed.harmful("replies that are late", 4, (site, node, length, lock) -> {
                    // Taking an old grant for a new one, a JVM holds it long enough to meet the next holder
                    linger(node, Duration.ofSeconds(2));
                    node.link().each(proxy -> proxy.delayReplies(late));
                    site.last(2 * LATE.toNanos() + 2 * length);
                }).healedBy((site, node, length, lock) -> {
                    linger(node, Duration.ZERO);
                    node.link().each(FaultProxy::pass);
                }),
                LabDeed.harmful("reset", 1, (site, node, length, lock) -> {
                    node.link().each(FaultProxy::reset);
                    site.last(length);
                }).healedBy(PASS),
                LabDeed.harmful("cut", 1, (site, node, length, lock) -> node.link().each(FaultProxy::cut)),
                LabDeed.harmful("drop replies", 1, (site, node, length, lock) -> {
                    node.link().each(FaultProxy::dropReplies);
                    site.last(length);
                }).healedBy(PASS),
                LabDeed.harmful("drop one reply", 2, (site, node, length, lock) -> {
                    node.link().each(proxy -> proxy.dropReplyTo(""));
                    site.last(length / 4);
                }).healedBy(PASS));
    }

    static final List<LabDeed> ALL = withReplies(LATE);

    private CommonDeeds() {
    }

    /**
     * All deeds, with replies delayed by {@code late}: where acquiring a lock takes several requests, each of them has to be in
     * time.
     */
    static List<LabDeed> withReplies(Duration late) {
        return Stream.of(OF_JVMS, ofLinks(late)).flatMap(List::stream).toList();
    }

    /** For stores that may lose a forced release, whose former holder then says again that it has the lock. */
    static List<LabDeed> withoutForce(List<LabDeed> deeds) {
        return deeds.stream().filter(deed -> !deed.name().startsWith(FORCE)).toList();
    }

    /** The server is paused, with all connections open. */
    static LabDeed pauseOfServer(Runnable pause, Runnable resume) {
        return LabDeed.harmful("SIGSTOP of the server", 1, (site, node, length, lock) -> {
            pause.run();
            site.last(length);
        }).healedBy((site, node, length, lock) -> resume.run());
    }

    /** A JVM is paused; old messages await it when it continues. */
    static LabDeed pause(String name, int times, Duration atLeast) {
        return LabDeed.harmful(name, times, (site, node, length, lock) -> {
            node.link().each(proxy -> proxy.delayReplies(Duration.ofMillis(UNDER_WAY)));
            site.last(LabNemesis.MILLISECOND * UNDER_WAY * 9 / 10);
            node.jvm().pause();
            site.last(atLeast.toNanos() + 3 * length);
            node.jvm().resume();
        }).healedBy((site, node, length, lock) -> {
            node.jvm().resume();
            node.link().each(FaultProxy::pass);
        });
    }

    static void linger(LabNode node, Duration atLeast) {
        node.jvm().current().send("linger " + atLeast.toMillis());
    }
}
