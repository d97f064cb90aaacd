package io.quarkiverse.lock.it.faults.lab;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.lock.testkit.proxy.FaultProxy;

/** What can be done to every JVM and its link, whatever the store is. */
final class CommonDeeds {

    static final String KILL = "kill -9 of a JVM";

    private static final LabDeed.Act PASS = (site, node, length, lock) -> node.link().each(FaultProxy::pass);

    static final List<LabDeed> ALL = List.of(
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
            LabDeed.harmful(KILL, 2, (site, node, length, lock) -> {
                // So that it dies with something in its hands
                node.jvm().current().send("linger");
                site.last(LabNemesis.MILLISECOND * 400);
                site.killed(node.jvm().process());
                node.jvm().kill();
            }),
            LabDeed.harmful("SIGTERM of a JVM", 1, (site, node, length, lock) -> node.jvm().terminate()),
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
            }).healedBy(PASS),
            LabDeed.harmless("force release", 1, (site, node, length, lock) -> site.force(lock)));

    private CommonDeeds() {
    }
}
