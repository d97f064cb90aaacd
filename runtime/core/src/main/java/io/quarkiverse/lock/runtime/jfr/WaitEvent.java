package io.quarkiverse.lock.runtime.jfr;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.engine.news.Recording.Lock;
import io.quarkiverse.lock.engine.news.Recording.Outcome;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

@Category({ "Quarkus", "Lock" })
@Name("quarkus.lock.Wait")
@Label("Lock Wait")
@Description("A caller has waited for a lock")
final class WaitEvent extends LockRecordEvent {

    @Label("Waited")
    @Timespan(Timespan.NANOSECONDS)
    long waited;

    @Label("Outcome")
    String outcome;

    @Label("Held By")
    @Nullable
    String heldBy;

    static void record(Lock lock, Outcome outcome, @Nullable String heldBy, long nanos) {
        WaitEvent event = new WaitEvent();
        if (event.isEnabled()) {
            event.of(lock);
            event.outcome = outcome.name().toLowerCase(Locale.ROOT);
            event.heldBy = heldBy;
            event.waited = nanos;
            event.commit();
        }
    }
}
