package io.quarkiverse.lock.redis.operation;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.quarkiverse.lock.LockInfo;
import io.quarkiverse.lock.LockQuery;
import io.quarkiverse.lock.redis.script.Call;
import io.quarkiverse.lock.redis.script.ErrorMessages;
import io.quarkiverse.lock.redis.script.RedisFailure;
import io.quarkiverse.lock.redis.script.ScriptArguments;
import io.quarkiverse.lock.redis.topology.RedisConnections;
import io.quarkiverse.lock.spi.Outcome;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Finds the keys of one page, by steps of {@code SCAN} on one master after the other, and asks for the state of each, since
 * a released name leaves its key for a while. Each command is short, as all others wait for it. A page ends after a step, at
 * the latest when it has taken long. A continuation has the cursor and the master that it belongs to. Event loop only.
 */
public final class NameListing {

    private static final Pattern CONTINUATION = Pattern.compile("(\\d{1,20})@(.*)");
    private static final String START = "0";
    /** How many buckets of the database's table one command looks at: some 0.1 ms. */
    private static final int MOST_BUCKETS = 100;
    /** What is not a lock's is passed over, in so many commands for one page. */
    private static final int MOST_SCANS = 64;
    /** Other calls of this JVM go over the same connection. */
    private static final int IN_FLIGHT = 32;
    private static final long ASK_AGAIN = TimeUnit.MILLISECONDS.toNanos(20);

    private final RedisConnections connections;
    private final ScriptArguments arguments;
    private final ErrorMessages errors;
    private final AdminCalls admin;
    private final LockQuery query;
    private final Outcome<LockQuery.Page> outcome;
    private final long start = System.nanoTime();
    private final List<LockInfo> locks = new ArrayList<>();
    private @Nullable String master;
    private String cursor = START;
    private int scans;
    private int found;
    private int open;

    public NameListing(RedisConnections connections, ScriptArguments arguments, ErrorMessages errors, AdminCalls admin,
            LockQuery query, Outcome<LockQuery.Page> outcome) {
        this.connections = connections;
        this.arguments = arguments;
        this.errors = errors;
        this.admin = admin;
        this.query = query;
        this.outcome = outcome;
    }

    public void begin() {
        String continuation = query.continuation();
        if (continuation != null) {
            Matcher parts = CONTINUATION.matcher(continuation);
            if (!parts.matches()) {
                outcome.fail(new IllegalArgumentException("No page of locks in Redis has ended at this continuation"));
                return;
            }
            cursor = parts.group(1);
            master = parts.group(2);
        }
        scan();
    }

    private void scan() {
        List<String> masters = connections.masters();
        if (masters.isEmpty()) {
            awaitMasters();
            return;
        }
        if (master == null) {
            master = masters.get(0);
        } else if (!masters.contains(master) && !goOn(masters, master)) {
            finish();
            return;
        }
        connections.sendTo(master, new Scan(masters));
    }

    private void awaitMasters() {
        if (System.nanoTime() - start > connections.options().operationTimeout().toNanos()) {
            outcome.fail(errors.failure(ErrorMessages.names(query),
                    RedisFailure.notSent("The nodes of the cluster do not say who has which slot", null)));
        } else if (!outcome.over()) {
            connections.after(ASK_AGAIN, this::scan);
        }
    }

    /** With the next master; false if this was the last one. */
    private boolean goOn(List<String> masters, String former) {
        cursor = START;
        for (String each : masters) {
            if (each.compareTo(former) > 0) {
                master = each;
                return true;
            }
        }
        master = null;
        return false;
    }

    private void scanned(List<String> masters, String next, Response keys) {
        Set<String> names = new LinkedHashSet<>();
        for (Response key : keys) {
            String name = arguments.name(key.toString());
            if (name != null && name.startsWith(query.prefix())) {
                names.add(name);
            }
        }
        found += names.size();
        cursor = next;
        if (next.equals(START)) {
            goOn(masters, String.valueOf(master));
        }
        inspect(names.iterator());
    }

    private void inspect(Iterator<String> names) {
        for (int i = 0; i < IN_FLIGHT && names.hasNext(); i++) {
            inspectNext(names);
        }
        if (open == 0) {
            inspected();
        }
    }

    private void inspectNext(Iterator<String> names) {
        open++;
        connections.send(admin.inspect(names.next(), known -> {
            open--;
            known.ifPresent(locks::add);
            if (names.hasNext() && !outcome.over()) {
                inspectNext(names);
            } else if (open == 0) {
                inspected();
            }
        }, failure -> {
            open--;
            outcome.fail(failure);
        }));
    }

    /** Half a page is enough: smaller and smaller steps would fill it. */
    private void inspected() {
        if (master != null && 2 * found < query.pageSize() && ++scans < MOST_SCANS && !late() && !outcome.over()) {
            scan();
        } else {
            finish();
        }
    }

    private boolean late() {
        return System.nanoTime() - start > connections.options().operationTimeout().toNanos() / 3;
    }

    private void finish() {
        outcome.complete(new LockQuery.Page(locks, master == null ? Optional.empty()
                : Optional.of(query.withContinuation(cursor + "@" + master))));
    }

    /** One step. */
    private final class Scan extends Call {

        private final List<String> masters;

        Scan(List<String> masters) {
            this.masters = masters;
        }

        @Override
        public Request request() {
            int buckets = Math.min(MOST_BUCKETS, query.pageSize() - found);
            return Request.cmd(Command.SCAN).arg(cursor).arg("MATCH").arg(arguments.pattern(query.prefix()))
                    .arg("COUNT").arg(buckets);
        }

        @Override
        public void answered(Response reply) {
            scanned(masters, reply.get(0).toString(), reply.get(1));
        }

        @Override
        public void failed(RedisFailure failure) {
            outcome.fail(errors.failure(ErrorMessages.names(query), failure));
        }
    }
}
