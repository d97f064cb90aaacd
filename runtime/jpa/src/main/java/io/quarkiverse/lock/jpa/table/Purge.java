package io.quarkiverse.lock.jpa.table;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.database.Workers;
import io.quarkiverse.lock.spi.LockTime;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Periodically deletes, in batches, the rows of names that nobody has used for long: no row stays for ever. The condition is
 * checked again when the rows are locked, so a name that comes into use meanwhile keeps its row.
 */
public final class Purge implements Runnable {

    private static final Logger LOG = Logger.getLogger(Purge.class);
    private static final long AT_MOST_EVERY = TimeUnit.HOURS.toNanos(1);
    /** The most rows that one query looks at, idle or not: it is short, however many rows there are. */
    private static final int PAGE = 1_000;
    /** The most rows that are locked at once. */
    private static final int AT_ONCE = 50;
    /** The database may have been away once. */
    private static final int WORTH_A_WARNING = 2;

    private final Steps steps;
    private final Statements statements;
    private final Workers workers;
    private final Duration idle;
    private final Supplier<LockTime> time;
    private volatile LockTime.@Nullable Timer timer;
    private volatile boolean stopped;
    /** In a row. Needs no lock, since each run schedules the next. */
    private int failures;

    /**
     * @param idle the idle time after which a row is deleted; zero never deletes any
     * @param time requested once it has started
     */
    public Purge(Steps steps, Statements statements, Workers workers, Duration idle, Supplier<LockTime> time) {
        this.steps = steps;
        this.statements = statements;
        this.workers = workers;
        this.idle = idle;
        this.time = time;
    }

    public void start() {
        long after = idle.toNanos();
        if (after > 0 && !stopped) {
            // A random point in between, so that not all JVMs purge at the same time
            long every = Math.min(AT_MOST_EVERY, after);
            timer = time.get().schedule(every / 2 + ThreadLocalRandom.current().nextLong(every),
                    () -> workers.run(this));
        }
    }

    public void stop() {
        stopped = true;
        LockTime.Timer last = timer;
        if (last != null) {
            last.cancel();
        }
    }

    @Override
    public void run() {
        try {
            int deleted = purge(TimeUnit.NANOSECONDS.toMicros(idle.toNanos()));
            LOG.debugf("%d idle rows of locks were deleted", deleted);
            failures = 0;
        } catch (SQLException | RuntimeException e) {
            if (!stopped) {
                failed(PrintableName.oneLine(String.valueOf(e.getMessage())));
            }
        }
        start();
    }

    private void failed(String why) {
        failures++;
        if (failures == WORTH_A_WARNING) {
            LOG.warnf("Idle rows of locks could not be deleted twice in a row; trying again later: %s", why);
        } else {
            LOG.debugf("Idle rows of locks could not be deleted; trying again later: %s", why);
        }
    }

    /** Deletes rows that have been idle for this long. */
    public int purge(long idleMicros) throws SQLException {
        int deleted = purgeNames(idleMicros);
        purgeClaims();
        return deleted;
    }

    private int purgeNames(long idleMicros) throws SQLException {
        String page = statements.pageEnd(PAGE);
        String after = LockNames.BEFORE_ALL;
        int deleted = 0;
        while (!stopped) {
            Optional<String> end = end(page, after);
            if (end.isEmpty()) {
                break;
            }
            deleted += purgeNames(after, end.get(), idleMicros);
            after = end.get();
        }
        return deleted;
    }

    private Optional<String> end(String page, String after) throws SQLException {
        return steps.call(steps.deadline(),
                connection -> Optional.ofNullable(connection.first(page, row -> row.getString(1), after)));
    }

    private int purgeNames(String after, String end, long idleMicros) throws SQLException {
        String idleRows = statements.idle(AT_ONCE);
        String last = after;
        int deleted = 0;
        boolean more = true;
        while (more && !stopped) {
            String from = last;
            List<String> ids = steps.call(steps.deadline(),
                    connection -> connection.all(idleRows, row -> row.getString(1), from, end, idleMicros));
            more = ids.size() == AT_ONCE;
            if (!ids.isEmpty()) {
                last = ids.get(ids.size() - 1);
                deleted += steps.transaction(steps.deadline(), connection -> delete(connection, ids, idleMicros));
            }
        }
        return deleted;
    }

    /** Skips locked rows: while it waits for one, nobody else could get the rows that it has locked already. */
    private int delete(LockConnection connection, List<String> ids, long idleMicros) throws SQLException {
        List<String> unlocked = connection.all(statements.lockIdle(ids.size()), row -> row.getString(1),
                idsAnd(idleMicros, ids));
        return unlocked.isEmpty() ? 0
                : connection.update(statements.purge(unlocked.size()), idsAnd(idleMicros, unlocked));
    }

    private static Object[] idsAnd(long idleMicros, List<String> ids) {
        Object[] parameters = new Object[ids.size() + 1];
        ids.toArray(parameters);
        parameters[ids.size()] = idleMicros;
        return parameters;
    }

    /** A separate search: the process that deleted these names' rows may have died before getting here. */
    private void purgeClaims() throws SQLException {
        String page = statements.claimPageEnd(Statements.BATCH);
        String orphans = statements.orphans();
        String after = LockNames.BEFORE_ALL;
        while (!stopped) {
            Optional<String> end = end(page, after);
            if (end.isEmpty()) {
                break;
            }
            String from = after;
            List<String> ids = steps.call(steps.deadline(),
                    connection -> connection.all(orphans, row -> row.getString(1), from, end.get()));
            if (!ids.isEmpty()) {
                steps.<Integer> call(steps.deadline(),
                        connection -> connection.update(statements.purgeClaims(ids.size()), ids.toArray()));
            }
            after = end.get();
        }
    }
}
