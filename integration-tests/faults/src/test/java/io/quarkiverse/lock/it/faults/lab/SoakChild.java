package io.quarkiverse.lock.it.faults.lab;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Logger;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.LockEngine;
import io.quarkiverse.lock.engine.ManagerDefaults;
import io.quarkiverse.lock.testkit.faults.ChildBackend;
import io.quarkiverse.lock.testkit.process.ChildMain;
import io.smallrye.mutiny.Uni;

/** A JVM that takes locks for a long time, and reports its state. */
public final class SoakChild implements ChildMain {

    private static final String BETWEEN = "\u001f";
    /** The least of these is the memory in use: the others include more work in progress. */
    private static final int COLLECTIONS = 3;

    /** Kept in a field, since its filter would otherwise be lost with it. */
    private static final Logger ENGINE = Logger.getLogger(LockEngine.class.getName());

    private @Nullable LockEngine engine;
    private @Nullable SoakWork work;
    private long memorySeconds;

    /** The arguments of {@link #start}. */
    static String[] arguments(String process, SoakStore store) {
        ChildBackend.Spec spec = store.backend();
        return new String[] { process, spec.factory().getName(), String.join(BETWEEN, spec.arguments()),
                Long.toString(store.memory().toSeconds() + 1) };
    }

    @Override
    public void start(String[] arguments, Child child) throws Exception {
        // Outside Quarkus the first use of Mutiny can fail when several threads make it at once
        Uni.createFrom().item(() -> 1).await().indefinitely();
        // A lock left to its lease is lost at its end, with a warning
        ENGINE.setFilter(entry -> !entry.getMessage().contains("it is no longer renewed"));
        // The first line of a log loads half a megabyte of date formatting
        ENGINE.info(arguments[0] + " begins");
        var factory = (ChildBackend) Class.forName(arguments[1]).getDeclaredConstructor().newInstance();
        List<String> backend = Arrays.asList(arguments[2].split(BETWEEN, -1));
        memorySeconds = Long.parseLong(arguments[3]);
        engine = LockEngine.builder(factory.backend(arguments[0], backend)).start();
        work = new SoakWork(arguments[0], engine.manager(ManagerDefaults.STANDARD));
        work.start();
        Runtime.getRuntime().addShutdownHook(new Thread(engine::close, "shutdown"));
    }

    /** {@code sample} answers a part of a {@link SoakSample}; {@code stop} answers once no work is in progress. */
    @Override
    public String handle(String request, Child child) throws Exception {
        return switch (request) {
            case "sample" -> sample();
            case "stop" -> {
                work.stop(Duration.ofSeconds(60));
                yield "";
            }
            default -> throw new IllegalArgumentException(request);
        };
    }

    private String sample() {
        long heap = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            heap = Math.min(heap, afterCollection());
        }
        return SoakSample.Jvm.line(heap, ManagementFactory.getThreadMXBean().getThreadCount(), engine.held().size(),
                work.namesOfLast(memorySeconds), work.counts());
    }

    /** Not the current usage: that includes the buffers in which threads have allocated objects since. */
    private static long afterCollection() {
        long sum = 0;
        for (MemoryPoolMXBean each : ManagementFactory.getMemoryPoolMXBeans()) {
            if (each.getType() == MemoryType.HEAP) {
                sum += each.getCollectionUsage().getUsed();
            }
        }
        return sum;
    }
}
