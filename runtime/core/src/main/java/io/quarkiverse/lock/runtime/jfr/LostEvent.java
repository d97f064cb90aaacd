package io.quarkiverse.lock.runtime.jfr;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Recording.Lock;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

@Category({ "Quarkus", "Lock" })
@Name("quarkus.lock.Lost")
@Label("Lock Lost")
@Description("A lock was lost while it was held")
@StackTrace(false) // the thread that notices it has nothing to do with the holder
final class LostEvent extends LockRecordEvent {

    @Label("Held")
    @Timespan(Timespan.NANOSECONDS)
    long held;

    @Label("Reason")
    @Nullable
    String reason;

    static void record(Lock lock, @Nullable String why, long nanos) {
        LostEvent event = new LostEvent();
        if (event.isEnabled()) {
            event.of(lock);
            event.reason = why;
            event.held = nanos;
            event.commit();
        }
    }
}
