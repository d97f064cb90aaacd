package io.quarkiverse.lock.runtime.jfr;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Recording;

/**
 * Events for recordings of this JVM, whenever those begin. A recording cannot run before a class of {@code jdk.jfr} has been
 * loaded, and until then none is loaded here either: about a hundred would come along.
 */
public final class FlightRecording implements Recording {

    /** Where classes are not loaded, but there or not: also while an image is made, which keeps this value. */
    private static final boolean IN_IMAGE = System.getProperty("org.graalvm.nativeimage.imagecode") != null;

    private final long thresholdNanos;
    private volatile boolean mayRun = IN_IMAGE;

    public FlightRecording(Duration threshold) {
        thresholdNanos = threshold.toNanos();
    }

    @Override
    public long thresholdNanos() {
        return thresholdNanos;
    }

    @Override
    public void waited(Lock lock, Outcome outcome, @Nullable String heldBy, long nanos) {
        if (mayRun()) {
            WaitEvent.record(lock, outcome, heldBy, nanos);
        }
    }

    @Override
    public void held(Lock lock, long nanos) {
        if (mayRun()) {
            HoldEvent.record(lock, nanos);
        }
    }

    @Override
    public void lost(Lock lock, @Nullable String why, long nanos) {
        if (mayRun()) {
            LostEvent.record(lock, why, nanos);
        }
    }

    /** The JVM knows a package as soon as it has loaded a class in it. */
    @SuppressWarnings("deprecation") // what is there instead does not ask the boot loader
    private boolean mayRun() {
        if (!mayRun && Package.getPackage("jdk.jfr") != null) {
            mayRun = true;
        }
        return mayRun;
    }
}
