package io.quarkiverse.lock.jpa.database;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * What the database's clock says at least by now. A request that may come out of some buffer long after its claim was given up
 * says with this until when it counts, so that nothing of it has to be looked for later. Decides nothing else.
 */
public final class DatabaseClock {

    private static final long FRESH = TimeUnit.SECONDS.toNanos(60);

    private record Reading(long databaseMicros, long receivedAt) {
    }

    private volatile Reading last = new Reading(0, System.nanoTime() - 2 * FRESH);

    /** In whole microseconds, never less. */
    public static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos) + 1;
    }

    /** A reply had this time in it; it has passed on since. */
    public void read(long databaseMicros) {
        if (databaseMicros > 0) {
            last = new Reading(databaseMicros, System.nanoTime());
        }
    }

    /** Whether it should be asked before it is relied on. */
    public boolean stale() {
        return System.nanoTime() - last.receivedAt > FRESH;
    }

    /** The same at a {@link System#nanoTime()}; asks before if that is too long ago. */
    public long until(LockConnection connection, String now, long at) throws SQLException {
        if (stale()) {
            Long read = connection.first(now, row -> row.getLong(1));
            read(read == null ? 0 : read);
        }
        return in(at - System.nanoTime());
    }

    /** The database's time at which {@code nanos} from now have passed; never later. */
    public long in(long nanos) {
        Reading reading = last;
        return reading.databaseMicros + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - reading.receivedAt + nanos);
    }
}
