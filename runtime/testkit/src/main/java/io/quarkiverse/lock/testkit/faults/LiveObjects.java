package io.quarkiverse.lock.testkit.faults;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import javax.management.JMException;
import javax.management.ObjectName;

/** How many objects of each class this JVM has after a full collection. It counts the whole JVM, so it is for separate JVMs. */
final class LiveObjects {

    private final Map<String, Long> counts;

    private LiveObjects(Map<String, Long> counts) {
        this.counts = counts;
    }

    static LiveObjects now() throws JMException {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] { new String[0] }, new String[] { String[].class.getName() });
        Map<String, Long> counts = new HashMap<>();
        histogram.lines().map(line -> line.trim().split("\\s+")).filter(word -> word[0].matches("\\d+:"))
                .forEach(word -> counts.merge(word[3], Long.parseLong(word[1]), Long::sum));
        return new LiveObjects(counts);
    }

    /** The classes that have at least {@code least} more objects than before. */
    Map<String, Long> grown(LiveObjects before, long least) {
        Map<String, Long> grown = new TreeMap<>();
        counts.forEach((name, count) -> {
            long more = count - before.counts.getOrDefault(name, 0L);
            if (more >= least) {
                grown.put(name, more);
            }
        });
        return grown;
    }
}
