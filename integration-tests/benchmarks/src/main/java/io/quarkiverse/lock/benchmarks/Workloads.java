package io.quarkiverse.lock.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** All workloads by what they are called. */
final class Workloads {

    private Workloads() {
    }

    static Map<String, Function<Setup, Workload>> all() {
        var all = new LinkedHashMap<String, Function<Setup, Workload>>();
        all.put("distinct-32-threads", Threads::distinct);
        all.put("distinct-1-thread", Threads::single);
        all.put("async-512", InFlight::new);
        all.put("one-name-jvms-hold-0", Jvms::noHold);
        all.put("one-name-jvms-hold-2ms", Jvms::holding);
        all.put("one-name-8-threads", setup -> Threads.handedOn(setup, Crew.PLATFORM));
        if (VirtualThreads.available()) {
            all.put("one-name-8-virtual-threads", setup -> Threads.handedOn(setup, VirtualThreads.starter()));
        }
        all.put("waiters-500", Waiters::new);
        all.put("renewal", Renewing::new);
        all.put("many-names", ManyNames::new);
        return all;
    }
}
