package io.quarkiverse.lock.runtime.jfr;

import io.quarkiverse.lock.engine.news.Recording.Lock;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

@Category({ "Quarkus", "Lock" })
@Name("quarkus.lock.Hold")
@Label("Lock Hold")
@Description("A lock was released")
final class HoldEvent extends LockRecordEvent {

    @Label("Held")
    @Timespan(Timespan.NANOSECONDS)
    long held;

    static void record(Lock lock, long nanos) {
        HoldEvent event = new HoldEvent();
        if (event.isEnabled()) {
            event.of(lock);
            event.held = nanos;
            event.commit();
        }
    }
}
