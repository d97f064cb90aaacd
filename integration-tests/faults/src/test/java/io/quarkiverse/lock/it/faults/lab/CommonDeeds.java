package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/** What can be done to every JVM and its link, whatever the store is. */
final class CommonDeeds {

    static final String KILL = "kill -9 of a JVM";

    /** Longer than the shorter leases, shorter than an operation may take. */
    private static final Duration LATE = Duration.ofMillis(1700);

    private static final LabDeed.Act PASS = (site, node, length, lock) -> node.link().each(FaultProxy::pass);

    /** To the JVMs. */
    static final List<LabDeed> OF_JVMS = List.of(
            LabDeed.harmful("SIGSTOP of a JVM", 4, (site, node, length, lock) -> {
                // What is under way when it stops is old when it goes on
                node.link().each(proxy -> proxy.delayReplies(Duration.ofMillis(100)));
                site.last(LabNemesis.MILLISECOND * 80);
                node.jvm().pause();
                site.last(3 * length);
                node.jvm().resume();
            }).healedBy((site, node, length, lock) -> {
                node.jvm().resume();
                node.link().each(FaultProxy::pass);
            }),
            LabDeed.harmful(KILL, 4, (site, node, length, lock) -> {
                // So that it dies with something in its hands
                linger(node, Duration.ofSeconds(2));
                site.last(LabNemesis.MILLISECOND * 700);
                node.jvm().kill();
            }),
            LabDeed.harmful("SIGTERM of a JVM", 1, (site, node, length, lock) -> node.jvm().terminate()),
            LabDeed.harmless("force release", 8, (site, node, length, lock) -> site.force(lock)),
            LabDeed.harmless("force release of what is held for long", 1, (site, node, length, lock) -> {
                // Longer than the lease, so that only who goes by it finds out
                linger(node, site.longestLease().plusSeconds(2));
                site.last(LabNemesis.MILLISECOND * 1000);
                Stand.NAMES.forEach(site::force);
            }).healedBy((site, node, length, lock) -> linger(node, Duration.ZERO)));

    /** To their links. */
    private static final List<LabDeed> OF_LINKS = List.of(
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
            LabDeed.harmful("replies that are late", 2, (site, node, length, lock) -> {
                // Who takes an old grant for a new one holds it long enough to meet the next holder
                linger(node, Duration.ofSeconds(2));
                node.link().each(proxy -> proxy.delayReplies(LATE));
                site.last(LATE.toNanos() + 2 * length);
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

    static final List<LabDeed> ALL = Stream.of(OF_JVMS, OF_LINKS).flatMap(List::stream).toList();

    private CommonDeeds() {
    }

    static void linger(LabNode node, Duration atLeast) {
        node.jvm().current().send("linger " + atLeast.toMillis());
    }
}
