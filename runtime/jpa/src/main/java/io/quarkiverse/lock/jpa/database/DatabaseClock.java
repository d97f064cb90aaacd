package io.quarkiverse.lock.jpa.database;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * A lower bound of the database's current time. A request may leave some buffer long after its claim was given up. So it
 * carries the database time until which it is valid, taken from this clock, and nobody has to look for its effects after that.
 * The clock decides nothing else.
 */
public final class DatabaseClock {

    private static final long FRESH = TimeUnit.SECONDS.toNanos(60);

    private record Reading(long databaseMicros, long receivedAt) {
    }

    private volatile Reading last = new Reading(0, System.nanoTime() - 2 * FRESH);

    /** In whole microseconds, never rounded down. */
    public static long micros(long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos) + 1;
    }

    /** A reply contained this time, which has advanced since. */
    public void read(long databaseMicros) {
        if (databaseMicros > 0) {
            last = new Reading(databaseMicros, System.nanoTime());
        }
    }

    /** Whether it should be read again before use. */
    public boolean stale() {
        return System.nanoTime() - last.receivedAt > FRESH;
    }

    /** The database's time at a {@link System#nanoTime()}; reads the clock first if the last reading is too old. */
    public long until(LockConnection connection, String now, long at) throws SQLException {
        if (stale()) {
            Long read = connection.first(now, row -> row.getLong(1));
            read(read == null ? 0 : read);
        }
        return in(at - System.nanoTime());
    }

    /** The database's time {@code nanos} from now; never later than it really is. */
    public long in(long nanos) {
        Reading reading = last;
        return reading.databaseMicros + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - reading.receivedAt + nanos);
    }
}
