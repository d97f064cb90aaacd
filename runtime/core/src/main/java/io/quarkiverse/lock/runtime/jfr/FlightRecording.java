package io.quarkiverse.lock.runtime.jfr;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Recording;
import io.quarkiverse.lock.engine.state.HoldSettings;

/**
 * Events for recordings of this JVM, whenever they begin. No recording can run before a class of {@code jdk.jfr} has been
 * loaded. Until then this class loads none either: that would load about a hundred.
 */
public final class FlightRecording implements Recording {

    /**
     * In a native image, a class is not loaded: it is either part of the image or not. This is also true while the image is
     * built, and the image keeps the value.
     */
    private static final boolean IN_IMAGE = System.getProperty("org.graalvm.nativeimage.imagecode") != null;

    private final long thresholdNanos;
    private volatile boolean mayRun = IN_IMAGE;

    public FlightRecording(Duration threshold) {
        thresholdNanos = HoldSettings.saturated(threshold);
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

    /** The JVM knows a package once it has loaded a class from it. */
    @SuppressWarnings("deprecation") // its replacement does not ask the boot loader
    private boolean mayRun() {
        if (!mayRun && Package.getPackage("jdk.jfr") != null) {
            mayRun = true;
        }
        return mayRun;
    }
}
