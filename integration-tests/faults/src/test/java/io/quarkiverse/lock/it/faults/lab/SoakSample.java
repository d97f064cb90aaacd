package io.quarkiverse.lock.it.faults.lab;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The state of JVMs and store at one moment.
 *
 * @param seconds since the beginning
 * @param leftovers see {@link SoakStore#leftovers}
 */
record SoakSample(long seconds, List<Jvm> jvms, Map<String, Long> leftovers, Map<String, Long> steady,
        Map<String, Long> shown) {

    /**
     * One JVM.
     *
     * @param heap bytes in use after a full collection
     * @param held how many locks it holds
     * @param names how many names it has used in the time for which the store remembers them
     * @param counts what it has done so far
     */
    record Jvm(long heap, long threads, long descriptors, long held, long names, Map<String, Long> counts) {

        /** Formats a line for {@link #parse}. */
        static String line(long heap, long threads, long held, long names, Map<String, Long> counts) {
            return heap + " " + threads + " " + held + " " + names + counts.entrySet().stream()
                    .map(each -> " " + each.getKey() + "=" + each.getValue()).collect(Collectors.joining());
        }

        static Jvm parse(String line, long descriptors) {
            String[] word = line.split(" ");
            var counts = new TreeMap<String, Long>();
            Arrays.stream(word).skip(4).map(each -> each.split("="))
                    .forEach(each -> counts.put(each[0], Long.parseLong(each[1])));
            return new Jvm(Long.parseLong(word[0]), Long.parseLong(word[1]), descriptors, Long.parseLong(word[2]),
                    Long.parseLong(word[3]), counts);
        }
    }

    long names() {
        return jvms.stream().mapToLong(Jvm::names).sum();
    }

    /** The sums over all JVMs. */
    Map<String, Long> counts() {
        var all = new TreeMap<String, Long>();
        jvms.forEach(each -> each.counts().forEach((what, count) -> all.merge(what, count, Long::sum)));
        return all;
    }
}
