package io.quarkiverse.lock.jpa.operation;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.jpa.claim.ClaimRegistry;
import io.quarkiverse.lock.jpa.claim.JpaGrant;
import io.quarkiverse.lock.jpa.database.DatabaseClock;
import io.quarkiverse.lock.jpa.database.LockConnection;
import io.quarkiverse.lock.jpa.database.Steps;
import io.quarkiverse.lock.jpa.table.Statements;
import io.quarkiverse.lock.spi.BackendListener;
import io.quarkiverse.lock.spi.Renewal;
import io.quarkiverse.lock.text.PrintableName;

/**
 * Renews grants: up to {@value Statements#BATCH} with the same lease in one statement. Only if that misses some of them,
 * further statements renew those whose release is requested, and determine which are gone.
 */
public final class LeaseRenewal extends Operation<Renewal> {

    private static final Logger LOG = Logger.getLogger(LeaseRenewal.class);
    /** Only a few sizes, so that the driver and the database can cache the statements; the rest is filled with repetitions. */
    private static final int[] SIZES = { 1, 8, 64, Statements.BATCH };

    private final List<JpaGrant> grants;
    private final Steps steps;
    private final Statements statements;
    private final DatabaseClock clock;
    private final ClaimRegistry registry;
    private final BackendListener listener;
    private final @Nullable Reclaim reclaim;
    /** Missing, though it should exist. */
    private final List<JpaGrant> missing = new ArrayList<>();
    private final List<JpaGrant> renewed = new ArrayList<>();
    private final List<JpaGrant> lost = new ArrayList<>();
    private final List<JpaGrant> unknown = new ArrayList<>();
    /** A downgrade was sent, and seems to have been executed. */
    private final List<JpaGrant> downgraded = new ArrayList<>();
    /** The tokens of grants whose release is requested. */
    private final Set<String> asked = new HashSet<>();

    public LeaseRenewal(OperationRunner runner, List<JpaGrant> grants, Steps steps, Statements statements,
            DatabaseClock clock, ClaimRegistry registry, BackendListener listener, @Nullable Reclaim reclaim) {
        super(runner);
        this.grants = grants;
        this.steps = steps;
        this.statements = statements;
        this.clock = clock;
        this.registry = registry;
        this.listener = listener;
        this.reclaim = reclaim;
    }

    /** Renewals run on their own thread. */
    @Override
    boolean onCallersThread(Runnable step) {
        return false;
    }

    @Override
    void submit(Runnable step, Runnable refused) {
        if (!runner.renew(step)) {
            refused.run();
        }
    }

    @Override
    public Renewal run(long deadline) {
        Map<Long, List<JpaGrant>> byLease = new LinkedHashMap<>();
        Map<Long, List<JpaGrant>> sharedByLease = new LinkedHashMap<>();
        for (JpaGrant grant : grants) {
            if (grant.alone && grant.shortening) {
                shorten(deadline, grant);
            } else {
                add(grant.alone ? byLease : sharedByLease, grant);
            }
        }
        largestFirst(byLease).forEach((lease, same) -> {
            // In the same order everywhere, so that two statements over the same rows cannot wait for each other
            same.sort(Comparator.comparing(JpaGrant::id));
            for (int i = 0; i < same.size(); i += Statements.BATCH) {
                batch(deadline, lease, same.subList(i, Math.min(i + Statements.BATCH, same.size())));
            }
        });
        downgraded.forEach(grant -> add(sharedByLease, grant));
        largestFirst(sharedByLease).forEach((lease, same) -> {
            same.sort(Comparator.comparing(JpaGrant::id));
            for (int i = 0; i < same.size(); i += SharedRenewal.BATCH) {
                sharedBatch(deadline, lease, same.subList(i, Math.min(i + SharedRenewal.BATCH, same.size())));
            }
        });
        if (reclaim != null && !missing.isEmpty()) {
            putBack(deadline, reclaim);
        }
        return new Renewal(renewed, lost, unknown);
    }

    /** In the same order everywhere, so that two JVMs do not wait for each other. */
    private void putBack(long deadline, Reclaim from) {
        missing.sort(Comparator.comparing(JpaGrant::id));
        for (JpaGrant grant : missing) {
            try {
                long sentAt = runner.time().nanoTime();
                if (from.putBack(steps, deadline, grant, false)) {
                    confirmed(grant, sentAt);
                } else {
                    gone(grant);
                }
            } catch (SQLException | RuntimeException e) {
                notRenewed(List.of(grant), e);
            }
        }
    }

    private static void add(Map<Long, List<JpaGrant>> byLease, JpaGrant grant) {
        byLease.computeIfAbsent(grant.renewalNanos(), lease -> new ArrayList<>()).add(grant);
    }

    /** If the time runs out, few are left over. */
    private static Map<Long, List<JpaGrant>> largestFirst(Map<Long, List<JpaGrant>> byLease) {
        Map<Long, List<JpaGrant>> ordered = new LinkedHashMap<>();
        byLease.entrySet().stream().sorted(Comparator.comparing(each -> -each.getValue().size()))
                .forEach(each -> ordered.put(each.getKey(), each.getValue()));
        return ordered;
    }

    private void sharedBatch(long deadline, long leaseNanos, List<JpaGrant> batch) {
        try {
            long sentAt = runner.time().nanoTime();
            Set<String> live = SharedRenewal.of(steps, statements, deadline, DatabaseClock.micros(leaseNanos), batch, asked);
            for (JpaGrant grant : batch) {
                settled(grant, live.contains(grant.token()), sentAt);
            }
        } catch (SQLException | RuntimeException e) {
            notRenewed(batch, e);
        }
    }

    private void settled(JpaGrant grant, boolean live, long sentAt) {
        if (live) {
            confirmed(grant, sentAt);
        } else if (reclaim != null && grant.keptAt(runner.time().nanoTime())) {
            missing.add(grant);
        } else {
            gone(grant);
        }
    }

    private void confirmed(JpaGrant grant, long sentAt) {
        grant.confirmedAt = sentAt;
        renewed.add(grant);
        if (asked.contains(grant.token())) {
            listener.releaseRequested(grant);
        }
    }

    private void gone(JpaGrant grant) {
        registry.over(grant);
        lost.add(grant);
    }

    private void notRenewed(List<JpaGrant> batch, Exception failure) {
        LOG.debugf("%d locks were not renewed: %s", (Object) batch.size(),
                PrintableName.oneLine(String.valueOf(failure.getMessage())));
        unknown.addAll(batch);
    }

    private void batch(long deadline, long leaseNanos, List<JpaGrant> batch) {
        try {
            boolean[] all = new boolean[1];
            long sentAt = runner.time().nanoTime();
            Map<String, String> live = steps.call(deadline, connection -> {
                int size = size(batch.size());
                Object[] parameters = new Object[2 + 2 * size];
                parameters[0] = DatabaseClock.micros(leaseNanos);
                parameters[1] = parameters[0];
                idsAndTokens(batch, size, parameters, 2);
                all[0] = connection.update(statements.renew(size), parameters) == batch.size();
                if (all[0]) {
                    return Map.<String, String> of();
                }
                connection.update(statements.renewAsked(size), parameters);
                return live(connection, batch, size);
            });
            for (JpaGrant grant : batch) {
                boolean found = all[0] || grant.token().equals(live.get(grant.id()));
                if (found || grant.claim().exclusive()) {
                    settled(grant, found, sentAt);
                } else {
                    downgraded.add(grant);
                }
            }
        } catch (SQLException | RuntimeException e) {
            notRenewed(batch, e);
        }
    }

    /** The statement is valid only until its caller gives up: after that, the lease may have been extended again. */
    private void shorten(long deadline, JpaGrant grant) {
        List<JpaGrant> alone = List.of(grant);
        grant.shortening = false; // before the lease is read: a later change of the lease sets it again
        try {
            boolean[] done = new boolean[1];
            long sentAt = runner.time().nanoTime();
            Map<String, String> live = steps.call(deadline, connection -> {
                done[0] = connection.update(statements.shorten, DatabaseClock.micros(grant.leaseNanos()), grant.id(),
                        grant.token(), clock.until(connection, statements.now, deadline)) == 1;
                return live(connection, alone, 1);
            });
            boolean there = grant.token().equals(live.get(grant.id()));
            if (there && !done[0]) {
                grant.shortening = true;
                unknown.add(grant); // it was too late
            } else if (there || grant.claim().exclusive()) {
                settled(grant, there, sentAt);
            } else {
                downgraded.add(grant);
            }
        } catch (SQLException | RuntimeException e) {
            grant.shortening = true;
            notRenewed(alone, e);
        }
    }

    /** Id to token of the live holders. */
    private Map<String, String> live(LockConnection connection, List<JpaGrant> batch, int size) throws SQLException {
        Object[] ids = new Object[size];
        for (int i = 0; i < size; i++) {
            ids[i] = batch.get(Math.min(i, batch.size() - 1)).id();
        }
        Map<String, String> live = new HashMap<>();
        connection.all(statements.holders(size), row -> {
            if (row.getLong(4) > row.getLong(1)) {
                live.put(row.getString(2), row.getString(3));
            }
            if (row.getInt(6) == 1) {
                asked.add(row.getString(3));
            }
            return true;
        }, ids);
        return live;
    }

    /** {@code size} ids and as many tokens; the rest is filled with the last one. */
    public static void idsAndTokens(List<JpaGrant> batch, int size, Object[] parameters, int from) {
        for (int i = 0; i < size; i++) {
            JpaGrant grant = batch.get(Math.min(i, batch.size() - 1));
            parameters[from + i] = grant.id();
            parameters[from + size + i] = grant.token();
        }
    }

    public static int size(int count) {
        for (int size : SIZES) {
            if (count <= size) {
                return size;
            }
        }
        throw new IllegalArgumentException("More than a batch: " + count);
    }

    /** Never fails except by the timeout: grants that could not be asked about are unknown. */
    @Override
    Throwable explained(Throwable failure) {
        return failure;
    }

    @Override
    Throwable timedOut() {
        return new IllegalStateException("No answer");
    }
}
